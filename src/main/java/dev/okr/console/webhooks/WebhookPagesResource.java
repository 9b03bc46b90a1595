package dev.okr.console.webhooks;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookWriter;
import dev.okr.webhooks.delivery.Delivery;
import dev.okr.webhooks.delivery.DeliveryResponse;
import dev.okr.webhooks.delivery.DeliveryStatus;
import dev.okr.webhooks.delivery.RequestedDeliveries;
import dev.okr.webhooks.delivery.WebhookHealth;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The pages for webhooks and their health. */
@Path(WebhookPagesResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class WebhookPagesResource {
    static final String PATH = "/settings/webhooks";
    static final String SECTION = "webhooks";

    /** What requires a plan with the API, as every operation of the API for webhooks does. */
    static final String SENDING = "Sending events to webhooks";

    private static final int DELIVERIES_PER_PAGE = 25;

    private final ConsoleSession session;
    private final WebhookWriter webhooks;
    private final RequestedDeliveries requested;
    private final Changes changes;
    private final Pages pages;

    WebhookPagesResource(
            ConsoleSession session,
            WebhookWriter webhooks,
            RequestedDeliveries requested,
            Changes changes,
            Pages pages) {
        this.session = session;
        this.webhooks = webhooks;
        this.requested = requested;
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    public Response listWebhooks(@Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var slice = Webhook.list(query);
        return pages.ok(Templates.webhooks(
                pages.shell(SECTION), rows(slice.items()), Paging.of(query, slice, PATH), session.mayUseApi()));
    }

    /** @param before the last delivery of the previous page, if any */
    @GET
    @Path("/{id}")
    public Response webhook(
            @PathParam("id") String id,
            @QueryParam("status") @Nullable String status,
            @QueryParam("before") @Nullable String before) {
        var webhook = Webhook.require(id);
        var selected = status == null ? null : status(status);
        // One extra delivery tells whether there is another page.
        var found = Delivery.newest(
                webhook.id(), selected, before == null ? null : position(before), DELIVERIES_PER_PAGE + 1);
        var shown = found.subList(0, Math.min(found.size(), DELIVERIES_PER_PAGE));
        return pages.ok(Templates.webhook(
                pages.shell(SECTION),
                row(webhook),
                session.mayUseApi(),
                filters(id, selected),
                shown.stream().map(DeliveryRow::of).toList(),
                shown.size() == found.size() ? null : nextPageAddress(id, selected, shown.getLast())));
    }

    @POST
    @Path("/{id}/ping")
    public Response ping(@PathParam("id") String id, Form form) {
        session.requirePlan(SENDING);
        // The ping adds its own audit entry, so it needs only the transaction.
        var delivery = changes.make(change -> requested.ping(id));
        return pages.redirect(DeliveryPagesResource.address(id, delivery.id()), Flash.PING_QUEUED);
    }

    @POST
    @Path("/{id}/pause")
    public Response pause(@PathParam("id") String id, Form form) {
        setActive(id, false);
        return pages.redirect(address(id), Flash.WEBHOOK_PAUSED);
    }

    @POST
    @Path("/{id}/resume")
    public Response resume(@PathParam("id") String id, Form form) {
        session.requirePlan(SENDING);
        setActive(id, true);
        return pages.redirect(address(id), Flash.WEBHOOK_RESUMED);
    }

    private void setActive(String id, boolean active) {
        var fields = new BodyReader(Map.of("active", new JsonValue.Bool(active)));
        changes.run(change -> webhooks.update(Webhook.requireLocked(id), fields, webhooks.urlCheck(Optional.empty())));
    }

    private static WebhookRow row(Webhook webhook) {
        return rows(List.of(Webhook.Listed.of(webhook))).getFirst();
    }

    private static List<WebhookRow> rows(List<Webhook.Listed> webhooks) {
        var found = WebhookHealth.of(webhooks.stream().map(Webhook.Listed::id).toList());
        return webhooks.stream()
                .map(webhook -> WebhookRow.of(webhook, found.getOrDefault(webhook.id(), WebhookHealth.NONE)))
                .toList();
    }

    private static DeliveryStatus status(String text) {
        return EnumNames.parse(DeliveryStatus.class, text)
                .orElseThrow(() -> Failure.malformed("The delivery status is unknown."));
    }

    private static UUID position(String before) {
        return IdKind.DELIVERY
                .parse(before)
                .orElseThrow(() -> Failure.malformed("This position in the list of deliveries does not exist."));
    }

    private static List<DeliveryFilter> filters(String id, @Nullable DeliveryStatus selected) {
        var filters = new ArrayList<DeliveryFilter>();
        filters.add(new DeliveryFilter("All", address(id), selected == null));
        for (var status : DeliveryStatus.values()) {
            var name = EnumNames.format(status);
            var label = Character.toUpperCase(name.charAt(0)) + name.substring(1);
            filters.add(new DeliveryFilter(label, address(id) + "?status=" + name, status == selected));
        }
        return filters;
    }

    private static String nextPageAddress(String id, @Nullable DeliveryStatus selected, DeliveryResponse last) {
        var address = address(id) + "?before=" + last.id();
        return selected == null ? address : address + "&status=" + EnumNames.format(selected);
    }

    static String address(String id) {
        return PATH + '/' + id;
    }

    /**
     * A link that filters the deliveries of a webhook.
     *
     * @param current whether the page shows this filter
     */
    public record DeliveryFilter(String label, String address, boolean current) {}

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance webhooks(Shell shell, List<WebhookRow> webhooks, Paging paging, boolean api);

        static native TemplateInstance webhook(
                Shell shell,
                WebhookRow webhook,
                boolean api,
                List<DeliveryFilter> filters,
                List<DeliveryRow> deliveries,
                @Nullable String older);
    }
}
