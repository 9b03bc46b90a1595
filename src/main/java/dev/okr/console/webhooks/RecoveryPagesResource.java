package dev.okr.console.webhooks;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Moment;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.delivery.RequestedDeliveries;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The form that recovers the missed events of a webhook. */
@Path(WebhookPagesResource.PATH + "/{id}/recover")
@AdminsOnly
@RunOnVirtualThread
public class RecoveryPagesResource {
    private static final String SINCE = "since";

    /** The suggested start for a webhook that is not failing. */
    private static final Duration SUGGESTED = Duration.ofDays(1);

    private final ConsoleSession session;
    private final RequestedDeliveries requested;
    private final Changes changes;
    private final Pages pages;
    private final UtcClock clock;

    RecoveryPagesResource(
            ConsoleSession session, RequestedDeliveries requested, Changes changes, Pages pages, UtcClock clock) {
        this.session = session;
        this.requested = requested;
        this.changes = changes;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    public Response recoveryForm(@PathParam("id") String id) {
        var webhook = Webhook.Listed.of(Webhook.require(id));
        var since =
                Objects.requireNonNullElse(webhook.failingSince(), clock.now().minus(SUGGESTED));
        return pages.ok(page(id, webhook, Form.empty().with(SINCE, Moment.local(since))));
    }

    @POST
    public Response recover(@PathParam("id") String id, Form form) {
        session.requirePlan(WebhookPagesResource.SENDING);
        var fields = Map.<String, JsonValue>of(SINCE, new JsonValue.Text(Moment.fromLocal(form.value(SINCE))));
        try {
            changes.make(change -> requested.recover(id, new BodyReader(fields)));
            return pages.redirect(WebhookPagesResource.address(id), Flash.RECOVERY_STARTED);
        } catch (Failure failure) {
            form.addErrors(failure);
            return pages.invalid(page(id, Webhook.Listed.of(Webhook.require(id)), form));
        }
    }

    private TemplateInstance page(String id, Webhook.Listed webhook, Form form) {
        return Templates.webhookRecover(
                pages.shell(WebhookPagesResource.SECTION), id, webhook.shown().url(), form);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance webhookRecover(Shell shell, String id, String url, Form form);
    }
}
