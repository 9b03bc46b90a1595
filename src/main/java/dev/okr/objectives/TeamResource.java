package dev.okr.objectives;

import dev.okr.organizations.Team;
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
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Reads teams and their objectives. The API does not change teams. */
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
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    public RestResponse<Page<TeamResponse>> listTeams(@Context UriInfo uri) {
        var query = ListQuery.byName(uri, "external_id");
        return Page.of(query, TeamResponse.list(query));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a team with its members")
    public RestResponse<Data<TeamDetail>> getTeam(@PathParam("id") String id) {
        return tags.read(TeamDetail.require(id));
    }

    @GET
    @Path("/{id}/objectives")
    @Operation(summary = "List the objectives of a team")
    @Parameter(
            name = "cycle_id",
            in = ParameterIn.QUERY,
            description = "Only objectives of this cycle.",
            schema = @Schema(implementation = String.class))
    @Parameter(name = "sort", in = ParameterIn.QUERY)
    @Parameter(name = "include", in = ParameterIn.QUERY)
    public RestResponse<Page<ObjectiveListItem>> listTeamObjectives(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, "cycle_id", "sort", "include");
        return Page.of(query, Objective.list(query, Team.require(id)));
    }
}
