package dev.okr.console.webhooks;

import dev.okr.console.Option;
import dev.okr.events.EventType;
import dev.okr.webhooks.SubscribedEvent;
import io.quarkus.qute.TemplateExtension;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The options in the forms for webhooks. Templates use the namespace {@code webhookforms:}. */
@TemplateExtension(namespace = "webhookforms")
public final class WebhookOptions {
    private WebhookOptions() {}

    public static List<Option> events() {
        var all = new Option(SubscribedEvent.ALL, "All events", "Includes types that later versions add");
        var types = Arrays.stream(EventType.values()).map(type -> new Option(type.type(), type.type(), ""));
        return Stream.concat(Stream.of(all), types).toList();
    }
}
