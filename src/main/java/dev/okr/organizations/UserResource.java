package dev.okr.organizations;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.EntityTags.Written;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.OrderedByName;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.RetriedTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Reads, creates and changes users. They are never deleted, because history refers to them. */
@Path("/v1/users")
@Tag(name = "Users")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class UserResource {
    private static final String TEAM_ID = "team_id";

    private static final int MAX_CACHED_USERS = 10_000;

    private final Caller caller;
    private final EntityTags tags;
    private final AuditLog changes;

    /**
     * Cached responses of {@code GET /v1/users/me}, which clients often call to test their key. A response is cached
     * as long as the key, so changes show within five seconds.
     */
    private final Cache<OwnUserKey, Written<OwnUserResponse>> ownUsers = Caffeine.newBuilder()
            .expireAfterWrite(Caller.MAX_AGE)
            .maximumSize(MAX_CACHED_USERS)
            .build();

    UserResource(Caller caller, EntityTags tags, AuditLog changes) {
        this.caller = caller;
        this.tags = tags;
        this.changes = changes;
    }

    private record OwnUserKey(UUID organizationId, UUID userId) {}

    @GET
    @Path("/me")
    @Operation(summary = "Read the user whose API key makes the request")
    public RestResponse<Data<OwnUserResponse>> getOwnUser() {
        var key = new OwnUserKey(caller.organizationId(), caller.userId());
        return tags.read(ownUsers.get(key, own -> tags.written(OwnUserResponse.require(own.userId()))));
    }

    @GET
    @OrderedByName
    @Operation(summary = "List users")
    @Parameter(
            name = TEAM_ID,
            in = ParameterIn.QUERY,
            description = "Only users of this team.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "email",
            in = ParameterIn.QUERY,
            description = "Only the user with this email address. The case of ASCII letters does not matter.",
            schema = @Schema(implementation = String.class))
    @Parameter(
            name = "active",
            in = ParameterIn.QUERY,
            description = "Only users who have access, or only users who do not.",
            schema = @Schema(implementation = Boolean.class))
    @Parameter(
            name = "role",
            in = ParameterIn.QUERY,
            description = "Only users with this role.",
            schema = @Schema(implementation = Role.class))
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<UserResponse>> listUsers(@Context UriInfo uri) {
        var query = ListQuery.byName(uri, TEAM_ID, "email", "active", "role", "updated_since");
        return Page.of(query, UserProfile.list(query, query.id(TEAM_ID, IdKind.TEAM)), UserResponse::of);
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a user")
    public RestResponse<Data<UserResponse>> getUser(@PathParam("id") String id) {
        return tags.read(UserResponse.of(UserProfile.require(id)));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create a user")
    public RestResponse<Data<UserResponse>> createUser(@RequestBodySchema(CreateUser.class) JsonBody body) {
        var request = CreateUser.read(body.reader());
        var id = changes.change(
                change -> new UserWriter(change).invite(request.name(), request.email(), request.role()));
        var created = UserResponse.of(UserProfile.require(id));
        return tags.created("/v1/users/" + created.id(), created);
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change a user")
    public RestResponse<Data<UserResponse>> updateUser(
            @PathParam("id") String id, @RequestBodySchema(UpdateUser.class) JsonBody body) {
        var user = UserProfile.require(id);
        var userId = user.id();
        if (UpdateUser.endsAccess(user, body.reader())) {
            // A rejected request must not stop an import.
            tags.requireMatch(() -> UserResponse.of(user));
            changes.shareAccessLock();
        }
        return changes.change(change -> {
            var users = new UserWriter(change);
            var before = users.lock(userId);
            tags.requireMatch(() -> UserResponse.of(before));
            return tags.changed(UserResponse.of(users.update(before, UpdateUser.read(body.reader()))));
        });
    }
}
