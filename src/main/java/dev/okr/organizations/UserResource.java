package dev.okr.organizations;

import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Users. */
@Path("/v1/users")
@Tag(name = "Users")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class UserResource {
    private static final String TEAM_ID = "team_id";

    private final Caller caller;
    private final EntityTags tags;
    private final OwnUsers ownUsers;

    UserResource(Caller caller, EntityTags tags, OwnUsers ownUsers) {
        this.caller = caller;
        this.tags = tags;
        this.ownUsers = ownUsers;
    }

    @GET
    @Path("/me")
    @Operation(summary = "Read the user whose API key makes the request")
    public RestResponse<Data<OwnUserResponse>> getOwnUser() {
        return tags.read(ownUsers.get(caller));
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
        return Page.of(query, User.list(query, query.id(TEAM_ID, IdKind.TEAM)), UserResponse::of);
    }
}
