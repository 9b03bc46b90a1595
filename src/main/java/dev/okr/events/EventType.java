package dev.okr.events;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** All types of events. */
@Schema(name = "EventType", description = "A type of event.", examples = "check_in.created")
public enum EventType {
    OBJECTIVE_CREATED,
    OBJECTIVE_UPDATED,
    OBJECTIVE_DELETED,
    OBJECTIVE_RESTORED,
    KEY_RESULT_CREATED,
    KEY_RESULT_UPDATED,
    KEY_RESULT_DELETED,
    KEY_RESULT_RESTORED,
    CHECK_IN_CREATED,
    CHECK_IN_UPDATED,
    CHECK_IN_DELETED,
    CYCLE_CREATED,
    CYCLE_UPDATED,
    CYCLE_DELETED,
    ALIGNMENT_CREATED,
    ALIGNMENT_UPDATED,
    ALIGNMENT_DELETED,
    TEAM_CREATED,
    TEAM_UPDATED,
    TEAM_DELETED,
    TEAM_MEMBER_ADDED,
    TEAM_MEMBER_UPDATED,
    TEAM_MEMBER_REMOVED,
    USER_CREATED,
    USER_UPDATED,
    /** A test event that a user requests. Only the tested webhook receives it. */
    WEBHOOK_PING;

    private final String type;

    EventType() {
        var name = name().toLowerCase(Locale.ROOT);
        int action = name.lastIndexOf('_');
        this.type = name.substring(0, action) + '.' + name.substring(action + 1);
    }

    /** Parses the public form. */
    public static Optional<EventType> parse(String text) {
        return Arrays.stream(values()).filter(each -> each.type.equals(text)).findFirst();
    }

    /** The public form, {@code <resource>.<action>}, such as {@code check_in.created}. */
    public String type() {
        return type;
    }
}
