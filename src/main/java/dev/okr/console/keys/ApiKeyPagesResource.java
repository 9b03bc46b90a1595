package dev.okr.console.keys;

import dev.okr.access.ApiKey;
import dev.okr.access.ApiKeyWriter;
import dev.okr.access.Scope;
import dev.okr.console.Changes;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.organizations.User;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;

/**
 * The pages for API keys. Users manage their own keys. Admins may also revoke the keys of others. They may not rotate
 * them, because a rotation shows a new token. A new key requires a plan that includes the API.
 */
@Path(ApiKeyPagesResource.PATH)
@RunOnVirtualThread
public class ApiKeyPagesResource {
    static final String PATH = "/settings/api-keys";

    private static final String SECTION = "api-keys";
    private static final String ID = "id";
    private static final String NAME = "name";
    private static final String SCOPES = "scopes";
    private static final String EXPIRES = "expires";
    private static final String OVERLAP = "overlap";
    private static final String CREATION = "Creating API keys";

    private final ConsoleSession session;
    private final Caller caller;
    private final Changes changes;
    private final Pages pages;
    private final UtcClock clock;

    ApiKeyPagesResource(ConsoleSession session, Caller caller, Changes changes, Pages pages, UtcClock clock) {
        this.session = session;
        this.caller = caller;
        this.changes = changes;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    public Response listKeys(@Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var slice = ApiKey.list(query, caller.isAdmin() ? null : caller.userId());
        return pages.ok(Templates.apiKeys(
                pages.shell(SECTION), rows(slice.items()), Paging.of(query, slice, PATH), session.mayUseApi()));
    }

    @GET
    @Path("/new")
    public Response newKey() {
        var scopes = List.of(Scope.values()).stream().map(EnumNames::format).toArray(String[]::new);
        // The id of the key follows from this id, so submitting the form twice creates one key.
        var form = Form.empty()
                .with(ID, IdKind.API_KEY.format(UuidV7.at(clock.now())))
                .with(SCOPES, scopes)
                .with(EXPIRES, EnumNames.format(ApiKeyOptions.Expiry.DAYS_90));
        return pages.ok(Templates.apiKeyNew(pages.shell(SECTION), form, session.mayUseApi()));
    }

    /**
     * Creates a key. The response shows its token, which is not stored, so no other page can show it.
     *
     * @throws Failure a conflict if the same form has already created a key
     */
    @POST
    public Response create(@Context UriInfo uri, Form form) {
        var id = form.createdId(IdKind.API_KEY);
        var name = form.name(NAME);
        var scopes = form.choices(SCOPES, Scope.class);
        var expiry = form.choice(EXPIRES, ApiKeyOptions.Expiry.class);
        if (form.hasErrors() || expiry.isEmpty()) {
            return pages.invalid(Templates.apiKeyNew(pages.shell(SECTION), form, session.mayUseApi()));
        }
        session.requirePlan(CREATION);
        var issued = changes.make(change -> new ApiKeyWriter(change)
                .issue(id, caller.userId(), name, scopes, expiry.get().from(change.now())));
        return issued(issued, uri, "");
    }

    @GET
    @Path("/{id}/rotate")
    public Response rotationForm(@PathParam("id") String id) {
        var key = requireRotatable(ApiKey.require(id));
        var form = Form.empty().with(OVERLAP, EnumNames.format(ApiKeyOptions.Overlap.DAY));
        return pages.ok(Templates.apiKeyRotate(pages.shell(SECTION), row(key), form));
    }

    /** @throws Failure a conflict if the key is no longer valid or has been replaced */
    @POST
    @Path("/{id}/rotate")
    public Response rotate(@PathParam("id") String id, @Context UriInfo uri, Form form) {
        var overlap = form.choice(OVERLAP, ApiKeyOptions.Overlap.class);
        if (overlap.isEmpty()) {
            var key = requireRotatable(ApiKey.require(id));
            return pages.invalid(Templates.apiKeyRotate(pages.shell(SECTION), row(key), form));
        }
        var issued = changes.make(change -> {
            // Locks the user before the key, as an erasure does.
            User.requireActive(caller.userId());
            var old = requireRotatable(ApiKey.requireLocked(id));
            return new ApiKeyWriter(change).rotate(old, overlap.get().duration());
        });
        return issued(
                issued, uri, "The old key stays valid for: " + overlap.get().label() + ".");
    }

    @GET
    @Path("/{id}/revoke")
    public Response revocationForm(@PathParam("id") String id) {
        var key = requireVisible(ApiKey.require(id));
        return pages.ok(Templates.apiKeyRevoke(pages.shell(SECTION), row(key)));
    }

    @POST
    @Path("/{id}/revoke")
    public Response revoke(@PathParam("id") String id, Form form) {
        AuditLog.Step step = change -> new ApiKeyWriter(change).revoke(requireVisible(ApiKey.requireLocked(id)));
        // Members revoke their own keys. They must not stop the imports of admins.
        if (caller.isAdmin()) {
            changes.endAccess(step);
        } else {
            changes.run(step);
        }
        return pages.redirect(PATH, Flash.KEY_REVOKED);
    }

    private Response issued(ApiKey.Issued issued, UriInfo uri, String note) {
        var example = uri.getBaseUri().resolve("/v1/users/me").toString();
        return pages.ok(Templates.apiKeyIssued(pages.shell(SECTION), row(issued.key()), issued.token(), example, note));
    }

    private ApiKey requireVisible(ApiKey key) {
        if (!caller.isAdmin() && !key.userId().equals(caller.userId())) {
            throw Failure.notFound("API key");
        }
        return key;
    }

    /** @throws Failure if the user cannot rotate the key */
    private ApiKey requireRotatable(ApiKey key) {
        if (!requireVisible(key).userId().equals(caller.userId())) {
            throw Failure.forbidden("Only the owner of this key can rotate it. You can revoke it.");
        }
        session.requirePlan(CREATION);
        key.requireRotatable(clock.now());
        return key;
    }

    private ApiKeyRow row(ApiKey key) {
        return rows(List.of(key)).getFirst();
    }

    private List<ApiKeyRow> rows(List<ApiKey> keys) {
        var names = new Names(keys.stream().map(ApiKey::userId).toList());
        var now = clock.now();
        return keys.stream()
                .map(key -> ApiKeyRow.of(key, names.of(key.userId()), caller.userId(), now))
                .toList();
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance apiKeys(Shell shell, List<ApiKeyRow> keys, Paging paging, boolean api);

        static native TemplateInstance apiKeyNew(Shell shell, Form form, boolean api);

        static native TemplateInstance apiKeyIssued(Shell shell, ApiKeyRow key, String token, String url, String note);

        static native TemplateInstance apiKeyRotate(Shell shell, ApiKeyRow key, Form form);

        static native TemplateInstance apiKeyRevoke(Shell shell, ApiKeyRow key);
    }
}
