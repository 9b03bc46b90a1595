package dev.okr.console.webhooks;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.CreatedWebhook;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookResponse;
import dev.okr.webhooks.WebhookWriter;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The forms that create, change and delete webhooks. The fields have the names that they have in the API, and the rules
 * of the API check them. A form contains the version of the webhook that it shows, so it never overwrites a change
 * that its user has not seen.
 */
@Path(WebhookPagesResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class WebhookFormsResource {
    private static final String SECTION = WebhookPagesResource.SECTION;
    private static final String ID = "id";
    private static final String VERSION = "version";
    private static final String URL = "url";
    private static final String EVENTS = "events";

    private final ConsoleSession session;
    private final WebhookWriter webhooks;
    private final Changes changes;
    private final Pages pages;
    private final UtcClock clock;

    WebhookFormsResource(ConsoleSession session, WebhookWriter webhooks, Changes changes, Pages pages, UtcClock clock) {
        this.session = session;
        this.webhooks = webhooks;
        this.changes = changes;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    @Path("/new")
    public Response newWebhook() {
        // The id of the webhook follows from this id, so submitting the form twice creates one webhook.
        var form = Form.empty().with(ID, IdKind.WEBHOOK.format(UuidV7.at(clock.now())));
        return pages.ok(Templates.webhookNew(pages.shell(SECTION), form, session.mayUseApi()));
    }

    /**
     * Creates a webhook. Only this response shows its secret.
     *
     * @throws Failure a conflict if the same form has already created a webhook
     */
    @POST
    public Response create(Form form) {
        var id = form.createdId(IdKind.WEBHOOK);
        session.requirePlan(WebhookPagesResource.SENDING);
        var urlCheck = webhooks.urlCheck(Optional.of(url(form)));
        try {
            var created = changes.make(change -> webhooks.create(id, fields(form), urlCheck));
            return secret(created, "Every delivery is signed with this secret.");
        } catch (Failure failure) {
            form.addErrors(failure);
            return pages.invalid(Templates.webhookNew(pages.shell(SECTION), form, true));
        }
    }

    @GET
    @Path("/{id}/edit")
    public Response editForm(@PathParam("id") String id) {
        var webhook = Webhook.require(id);
        var shown = WebhookResponse.of(webhook);
        var form = versioned(webhook)
                .with(URL, shown.url())
                .with(EVENTS, shown.events().toArray(String[]::new));
        return pages.ok(Templates.webhookEdit(pages.shell(SECTION), id, form));
    }

    @POST
    @Path("/{id}/edit")
    public Response edit(@PathParam("id") String id, Form form) {
        session.requirePlan(WebhookPagesResource.SENDING);
        Webhook.require(id);
        var urlCheck = webhooks.urlCheck(Optional.of(url(form)));
        try {
            changes.run(change -> webhooks.update(requireUnchanged(id, form), fields(form), urlCheck));
            return pages.redirect(WebhookPagesResource.address(id), Flash.WEBHOOK_CHANGED);
        } catch (Failure failure) {
            form.addErrors(failure);
            return pages.invalid(Templates.webhookEdit(pages.shell(SECTION), id, form));
        }
    }

    @GET
    @Path("/{id}/rotate-secret")
    public Response rotationForm(@PathParam("id") String id) {
        var webhook = Webhook.require(id);
        var url = WebhookResponse.of(webhook).url();
        return pages.ok(Templates.webhookRotate(pages.shell(SECTION), id, url, versioned(webhook)));
    }

    /**
     * Replaces the secret. Only this response shows the new one.
     *
     * @throws Failure a conflict if the same form has already replaced the secret
     */
    @POST
    @Path("/{id}/rotate-secret")
    public Response rotate(@PathParam("id") String id, Form form) {
        session.requirePlan(WebhookPagesResource.SENDING);
        var rotated = changes.make(change -> webhooks.rotateSecret(requireUnchanged(id, form)));
        return secret(
                rotated,
                "For 24 hours, every delivery is also signed with the old secret. Replace it at the receiver.");
    }

    @GET
    @Path("/{id}/delete")
    public Response deletionForm(@PathParam("id") String id) {
        return pages.ok(Templates.webhookDelete(
                pages.shell(SECTION),
                id,
                WebhookResponse.of(Webhook.require(id)).url()));
    }

    @POST
    @Path("/{id}/delete")
    public Response delete(@PathParam("id") String id, Form form) {
        changes.run(change -> webhooks.delete(Webhook.requireLocked(id)));
        return pages.redirect(WebhookPagesResource.PATH, Flash.WEBHOOK_DELETED);
    }

    private Response secret(CreatedWebhook webhook, String note) {
        return pages.ok(Templates.webhookSecret(pages.shell(SECTION), webhook, note));
    }

    private static Form versioned(Webhook webhook) {
        return Form.empty().with(VERSION, webhook.version());
    }

    /** Locks the webhook, if it is still what the form showed. */
    private static Webhook requireUnchanged(String id, Form form) {
        var webhook = Webhook.requireLocked(id);
        if (!webhook.version().equals(form.value(VERSION))) {
            throw Failure.passingConflict("The webhook has changed since you opened the form. Nothing was changed now."
                    + " Open the form again.");
        }
        return webhook;
    }

    private static String url(Form form) {
        return form.value(URL).strip();
    }

    /** The fields as the API has them. */
    private static BodyReader fields(Form form) {
        Map<String, JsonValue> fields = new LinkedHashMap<>();
        fields.put(URL, new JsonValue.Text(url(form)));
        var events =
                form.values(EVENTS).stream().<JsonValue>map(JsonValue.Text::new).toList();
        fields.put(EVENTS, new JsonValue.Array(events));
        return new BodyReader(fields);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance webhookNew(Shell shell, Form form, boolean api);

        static native TemplateInstance webhookEdit(Shell shell, String id, Form form);

        static native TemplateInstance webhookRotate(Shell shell, String id, String url, Form form);

        static native TemplateInstance webhookDelete(Shell shell, String id, String url);

        static native TemplateInstance webhookSecret(Shell shell, CreatedWebhook created, String note);
    }
}
