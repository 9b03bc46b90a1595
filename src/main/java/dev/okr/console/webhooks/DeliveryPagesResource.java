package dev.okr.console.webhooks;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.platform.transactions.RetriedTransaction;
import dev.okr.webhooks.SenderSettings;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.delivery.Delivery;
import dev.okr.webhooks.delivery.DeliveryDetail;
import dev.okr.webhooks.delivery.DeliveryResponse;
import dev.okr.webhooks.delivery.RequestedDeliveries;
import dev.okr.webhooks.delivery.WebhookHealth;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.stream.IntStream;

/** The page for a delivery and its attempts. */
@Path(WebhookPagesResource.PATH + "/{id}/deliveries/{deliveryId}")
@AdminsOnly
@RunOnVirtualThread
public class DeliveryPagesResource {
    private final RequestedDeliveries requested;
    private final SenderSettings sender;
    private final Pages pages;

    DeliveryPagesResource(RequestedDeliveries requested, SenderSettings sender, Pages pages) {
        this.requested = requested;
        this.sender = sender;
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
                PrettyJson.format(detail.event().payload()),
                attempts(detail)));
    }

    @POST
    @Path("/redeliver")
    public Response redeliver(@PathParam("id") String id, @PathParam("deliveryId") String deliveryId, Form form) {
        requeue(id, deliveryId);
        return pages.redirect(address(id, deliveryId), Flash.REDELIVERY_QUEUED);
    }

    @RetriedTransaction
    DeliveryResponse requeue(String id, String deliveryId) {
        return requested.redeliver(id, deliveryId);
    }

    /** Newest first. The oldest of very many are not shown. */
    private static List<DeliveryRow.Attempt> attempts(DeliveryDetail detail) {
        var attempts = detail.attempts();
        return IntStream.range(0, attempts.size())
                .mapToObj(i -> DeliveryRow.Attempt.of(
                        attempts.get(i), detail.delivery().attemptsCount() - i))
                .toList();
    }

    static String address(String id, String deliveryId) {
        return WebhookPagesResource.address(id) + "/deliveries/" + deliveryId;
    }
}
