package dev.okr.objectives.teams;

import dev.okr.access.limits.LargeRequests;
import dev.okr.objectives.Objective;
import dev.okr.objectives.ObjectiveListItem;
import dev.okr.organizations.Team;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.Deleted;
import dev.okr.platform.http.EntityTags;
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
import jakarta.ws.rs.DELETE;
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

/** Reads, creates, changes and deletes teams, and reads their objectives. */
@Path("/v1/teams")
@Tag(name = "Teams")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class TeamResource {
    private final EntityTags tags;
    private final AuditLog changes;
    private final LargeRequests large;

    TeamResource(EntityTags tags, AuditLog changes, LargeRequests large) {
        this.tags = tags;
        this.changes = changes;
        this.large = large;
    }

    @GET
    @OrderedByName
    @Operation(summary = "List teams")
    @Parameter(name = "name", in = ParameterIn.QUERY)
    @Parameter(name = "external_id", in = ParameterIn.QUERY)
    @Parameter(name = "updated_since", in = ParameterIn.QUERY)
    public RestResponse<Page<TeamResponse>> listTeams(@Context UriInfo uri) {
        var query = ListQuery.byName(uri, "name", "external_id", "updated_since");
        return Page.of(query, TeamResponse.list(query));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a team with its members")
    public RestResponse<Data<TeamDetail>> getTeam(@PathParam("id") String id) {
        return tags.read(TeamDetail.require(id));
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create a team")
    public RestResponse<Data<TeamResponse>> createTeam(@RequestBodySchema(CreateTeam.class) JsonBody body) {
        var request = CreateTeam.read(body.reader());
        var id = IdKind.TEAM.format(changes.change(change -> new TeamWriter(change).create(request)));
        return tags.created("/v1/teams/" + id, TeamResponse.require(id), TeamDetail.require(id));
    }

    @PUT
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Change a team")
    public RestResponse<Data<TeamResponse>> updateTeam(
            @PathParam("id") String id, @RequestBodySchema(UpdateTeam.class) JsonBody body) {
        var teamId = Team.require(id);
        var changed = changes.change(change -> {
            var teams = new TeamWriter(change);
            teams.lock(teamId);
            tags.requireMatch(() -> TeamDetail.require(id));
            return teams.update(teamId, UpdateTeam.read(body.reader()));
        });
        return tags.changed(changed, TeamDetail.require(id));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete a team")
    public Data<Deleted> deleteTeam(@PathParam("id") String id) {
        var teamId = Team.require(id);
        changes.run(change -> {
            var teams = new TeamWriter(change);
            teams.lock(teamId);
            tags.requireMatch(() -> TeamDetail.require(id));
            teams.delete(teamId);
        });
        return Deleted.of(id);
    }

    @PUT
    @Path("/{id}/members/{userId}")
    @RetriedTransaction
    @Operation(summary = "Add a user to a team, or change the role of a member")
    public RestResponse<Data<TeamMemberResponse>> updateTeamMember(
            @PathParam("id") String id,
            @PathParam("userId") String userId,
            @RequestBodySchema(UpdateTeamMember.class) JsonBody body) {
        var teamId = Team.require(id);
        var user = requireUser(userId);
        return tags.changed(changes.change(change -> {
            var members = new TeamMemberWriter(change);
            boolean active = members.lock(teamId, user);
            var before = members.find(teamId, user);
            tags.requireMatch(() -> before);
            return members.setMember(teamId, user, UpdateTeamMember.read(body.reader(), before, active));
        }));
    }

    @DELETE
    @Path("/{id}/members/{userId}")
    @RetriedTransaction
    @Operation(summary = "Remove a member from a team")
    public Data<Deleted> deleteTeamMember(@PathParam("id") String id, @PathParam("userId") String userId) {
        var teamId = Team.require(id);
        var user = requireUser(userId);
        changes.run(change -> {
            var members = new TeamMemberWriter(change);
            members.lock(teamId, user);
            var before = members.find(teamId, user);
            tags.requireMatch(() -> before);
            members.removeMember(teamId, user);
        });
        return Deleted.of(userId);
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
        return Page.of(query, Objective.list(query, Team.require(id), large));
    }

    private static UUID requireUser(String publicId) {
        return IdKind.USER.parse(publicId).orElseThrow(() -> Failure.notFound("user"));
    }
}
