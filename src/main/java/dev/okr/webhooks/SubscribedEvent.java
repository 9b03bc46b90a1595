package dev.okr.webhooks;

import dev.okr.events.EventType;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An event type that a webhook can subscribe to, or {@code *} for all. */
@Schema(
        name = "SubscribedEvent",
        description = "An event type, or `*` for all types.",
        type = SchemaType.STRING,
        enumeration = {
            SubscribedEvent.ALL,
            "objective.created",
            "objective.updated",
            "objective.deleted",
            "objective.restored",
            "key_result.created",
            "key_result.updated",
            "key_result.deleted",
            "key_result.restored",
            "check_in.created",
            "check_in.updated",
            "check_in.deleted",
            "cycle.created",
            "cycle.updated",
            "cycle.deleted",
            "alignment.created",
            "alignment.updated",
            "alignment.deleted",
            "team.created",
            "team.updated",
            "team.deleted",
            "team_member.added",
            "team_member.updated",
            "team_member.removed",
            "user.created",
            "user.updated",
            "webhook.ping"
        },
        examples = "check_in.created")
public final class SubscribedEvent {
    /** Stands for all event types. */
    public static final String ALL = "*";

    /** The annotation above repeats these values, since annotations need constants. A test compares the two. */
    static final Set<String> CHOICES = Stream.concat(
                    Stream.of(ALL), Stream.of(EventType.values()).map(EventType::type))
            .collect(Collectors.toUnmodifiableSet());

    private SubscribedEvent() {}

    /** Whether a subscription includes events of a type. */
    public static boolean includes(Collection<String> subscription, String type) {
        return subscription.contains(type) || subscription.contains(ALL);
    }
}
