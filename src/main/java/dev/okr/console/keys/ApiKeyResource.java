package dev.okr.console.keys;

import dev.okr.access.ApiKey;
import dev.okr.access.Scope;
import dev.okr.console.ConsoleSession;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Input;
import dev.okr.console.Names;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;

/** The pages for API keys. */
@Path(ApiKeyResource.PATH)
@RunOnVirtualThread
public class ApiKeyResource {
    static final String PATH = "/settings/api-keys";

    private static final String SECTION = "api-keys";
    private static final String ID = "id";
    private static final String NAME = "name";
    private static final String SCOPES = "scopes";
    private static final String EXPIRES = "expires";
    private static final String OVERLAP = "overlap";

    private final ConsoleSession session;
    private final Caller caller;
    private final ApiKeyChanges changes;
    private final Pages pages;
    private final UtcClock clock;

    ApiKeyResource(ConsoleSession session, Caller caller, ApiKeyChanges changes, Pages pages, UtcClock clock) {
        this.session = session;
        this.caller = caller;
        this.changes = changes;
        this.pages = pages;
        this.clock = clock;
    }

    @GET
    public Response listKeys(@Context UriInfo uri) {
        var query = Paging.query(uri);
        var slice = ApiKey.list(query, caller.isAdmin() ? null : caller.userId());
        return pages.ok(Templates.apiKeys(
                pages.shell(SECTION), rows(slice.items()), Paging.of(query, slice, PATH), mayUseApi()));
    }

    @GET
    @Path("/new")
    public Response newKey() {
        var scopes = List.of(Scope.values()).stream().map(EnumNames::format).toArray(String[]::new);
        // The form contains the id of the key, so that submitting it twice creates one key.
        var input = Input.empty()
                .with(ID, IdKind.API_KEY.format(UuidV7.at(clock.now())))
                .with(SCOPES, scopes)
                .with(EXPIRES, EnumNames.format(ApiKeyOptions.Expiry.DAYS_90));
        return pages.ok(Templates.apiKeyNew(pages.shell(SECTION), input, mayUseApi()));
    }

    /** The response shows the token. It is not stored, so no other page can show it. */
    @POST
    public Response create(@Context UriInfo uri, Form form) {
        var input = Input.of(form);
        var id = IdKind.API_KEY
                .parse(input.value(ID))
                .orElseThrow(
                        () -> Failure.malformed("The form is incomplete. Go back, reload the page and try again."));
        var name = input.name(NAME);
        var scopes = input.choices(SCOPES, Scope.class);
        var expiry = input.choice(EXPIRES, ApiKeyOptions.Expiry.class);
        if (input.hasErrors() || expiry.isEmpty()) {
            return pages.invalid(Templates.apiKeyNew(pages.shell(SECTION), input, mayUseApi()));
        }
        return issued(changes.create(id, name, scopes, expiry.get()), uri, "");
    }

    @GET
    @Path("/{id}/rotate")
    public Response rotationForm(@PathParam("id") String id) {
        var key = changes.requireRotatable(ApiKey.require(id));
        var input = Input.empty().with(OVERLAP, EnumNames.format(ApiKeyOptions.Overlap.DAY));
        return pages.ok(Templates.apiKeyRotate(pages.shell(SECTION), row(key), input));
    }

    @POST
    @Path("/{id}/rotate")
    public Response rotate(@PathParam("id") String id, @Context UriInfo uri, Form form) {
        var input = Input.of(form);
        var overlap = input.choice(OVERLAP, ApiKeyOptions.Overlap.class);
        if (overlap.isEmpty()) {
            var key = changes.requireRotatable(ApiKey.require(id));
            return pages.invalid(Templates.apiKeyRotate(pages.shell(SECTION), row(key), input));
        }
        var issued = changes.rotate(id, overlap.get());
        return issued(
                issued, uri, "The old key stays valid for: " + overlap.get().label() + ".");
    }

    @GET
    @Path("/{id}/revoke")
    public Response revocationForm(@PathParam("id") String id) {
        var key = changes.requireVisible(ApiKey.require(id));
        return pages.ok(Templates.apiKeyRevoke(pages.shell(SECTION), row(key)));
    }

    @POST
    @Path("/{id}/revoke")
    public Response revoke(@PathParam("id") String id, Form form) {
        changes.revoke(id);
        return pages.redirect(PATH, Flash.KEY_REVOKED);
    }

    private Response issued(ApiKey.Issued issued, UriInfo uri, String note) {
        var example = uri.getBaseUri().resolve("/v1/users/me").toString();
        return pages.ok(Templates.apiKeyIssued(pages.shell(SECTION), row(issued.key()), issued.token(), example, note));
    }

    private boolean mayUseApi() {
        return session.user().plan().includesApi();
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
}
