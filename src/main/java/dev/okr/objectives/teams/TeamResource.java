package dev.okr.objectives.teams;

import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.OrderedByName;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Teams. {@code TeamObjectiveResource} lists their objectives. */
@Path("/v1/teams")
@Tag(name = "Teams")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class TeamResource {
    private final EntityTags tags;

    TeamResource(EntityTags tags) {
        this.tags = tags;
    }

    @GET
    @OrderedByName
    @Operation(summary = "List teams")
    public RestResponse<Page<TeamResponse>> listTeams(@Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        return Page.of(query, TeamResponse.list(query), team -> team);
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a team with its members")
    public RestResponse<Data<TeamDetail>> getTeam(@PathParam("id") String id) {
        return tags.read(TeamDetail.require(id));
    }
}
