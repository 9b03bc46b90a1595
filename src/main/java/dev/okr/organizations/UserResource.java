package dev.okr.organizations;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.EntityTags.Written;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.OrderedByName;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.ids.IdKind;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Reads users. The API does not change users. */
@Path("/v1/users")
@Tag(name = "Users")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class UserResource {
    private static final String TEAM_ID = "team_id";

    private static final int MAX_CACHED_USERS = 10_000;

    private final Caller caller;
    private final EntityTags tags;

    /**
     * Cached responses of {@code GET /v1/users/me}, which clients often call to test their key. A response is cached
     * as long as the key, so changes show within five seconds.
     */
    private final Cache<OwnUserKey, Written<OwnUserResponse>> ownUsers = Caffeine.newBuilder()
            .expireAfterWrite(Caller.MAX_AGE)
            .maximumSize(MAX_CACHED_USERS)
            .build();

    UserResource(Caller caller, EntityTags tags) {
        this.caller = caller;
        this.tags = tags;
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
    public RestResponse<Page<UserResponse>> listUsers(@Context UriInfo uri) {
        var query = ListQuery.byName(uri, TEAM_ID);
        return Page.of(query, UserProfile.list(query, query.id(TEAM_ID, IdKind.TEAM)), UserResponse::of);
    }
}
