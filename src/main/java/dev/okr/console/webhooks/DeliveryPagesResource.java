package dev.okr.console.webhooks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.webhooks.SenderSettings;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.delivery.Delivery;
import dev.okr.webhooks.delivery.DeliveryDetail;
import dev.okr.webhooks.delivery.RequestedDeliveries;
import dev.okr.webhooks.delivery.WebhookHealth;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;

/** The page for a delivery and its attempts. */
@Path(WebhookPagesResource.PATH + "/{id}/deliveries/{deliveryId}")
@AdminsOnly
@RunOnVirtualThread
public class DeliveryPagesResource {
    private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");

    private final ConsoleSession session;
    private final RequestedDeliveries requested;
    private final SenderSettings sender;
    private final Changes changes;
    private final Pages pages;

    DeliveryPagesResource(
            ConsoleSession session,
            RequestedDeliveries requested,
            SenderSettings sender,
            Changes changes,
            Pages pages) {
        this.session = session;
        this.requested = requested;
        this.sender = sender;
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    public Response delivery(@PathParam("id") String id, @PathParam("deliveryId") String deliveryId) {
        var webhook = Webhook.require(id);
        var detail = DeliveryDetail.of(Delivery.require(webhook.id(), deliveryId));
        return pages.ok(Templates.delivery(
                pages.shell(WebhookPagesResource.SECTION),
                WebhookRow.of(Webhook.Listed.of(webhook), WebhookHealth.NONE),
                DeliveryRow.of(detail.delivery()),
                sender.userAgent(),
                prettyJson(detail.event().payload()),
                attempts(detail)));
    }

    @POST
    @Path("/redeliver")
    public Response redeliver(@PathParam("id") String id, @PathParam("deliveryId") String deliveryId, Form form) {
        session.requirePlan(WebhookPagesResource.SENDING);
        // The redelivery adds its own audit entry, so it needs only the transaction.
        changes.make(change -> requested.redeliver(id, deliveryId));
        return pages.redirect(address(id, deliveryId), Flash.REDELIVERY_QUEUED);
    }

    /** The attempts, newest first. If there are very many, the oldest are not shown. */
    private static List<DeliveryRow.Attempt> attempts(DeliveryDetail detail) {
        var attempts = detail.attempts();
        return IntStream.range(0, attempts.size())
                .mapToObj(i -> DeliveryRow.Attempt.of(
                        attempts.get(i), detail.delivery().attemptsCount() - i))
                .toList();
    }

    /** Formats JSON for reading. It works on tokens, so numbers keep their spelling. */
    private static String prettyJson(String json) {
        var separators = Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
        var printer = new DefaultPrettyPrinter(separators)
                .withObjectIndenter(INDENTER)
                .withArrayIndenter(INDENTER);
        var text = new StringWriter();
        var factory = new JsonFactory();
        try (var parser = factory.createParser(json);
                var generator = factory.createGenerator(text)) {
            generator.setPrettyPrinter(printer);
            parser.nextToken();
            generator.copyCurrentStructureExact(parser);
        } catch (IOException e) {
            throw new UncheckedIOException("The payload of an event is not JSON.", e);
        }
        return text.toString();
    }

    static String address(String id, String deliveryId) {
        return WebhookPagesResource.address(id) + "/deliveries/" + deliveryId;
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance delivery(
                Shell shell,
                WebhookRow webhook,
                DeliveryRow delivery,
                String userAgent,
                String payload,
                List<DeliveryRow.Attempt> attempts);
    }
}
