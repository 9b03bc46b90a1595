package dev.okr.console.teams;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Input;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.objectives.TeamResponse;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;

/** The pages for teams. Everybody can see them, and admins can change them. */
@Path(TeamPagesResource.PATH)
@RunOnVirtualThread
public class TeamPagesResource {
    static final String PATH = "/settings/teams";
    static final String SECTION = "teams";

    private static final String NAME = "name";

    private final TeamChanges changes;
    private final Pages pages;

    TeamPagesResource(TeamChanges changes, Pages pages) {
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    public Response listTeams(@Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var slice = TeamResponse.list(query);
        var rows = slice.items().stream().map(TeamRow::of).toList();
        return pages.ok(Templates.teams(pages.shell(SECTION), rows, Paging.of(query, slice, PATH)));
    }

    @GET
    @Path("/new")
    @AdminsOnly
    public Response newTeam() {
        return pages.ok(Templates.teamNew(pages.shell(SECTION), Input.empty()));
    }

    @POST
    @AdminsOnly
    public Response create(Form form) {
        var input = Input.of(form);
        var name = input.name(NAME);
        if (input.hasErrors()) {
            return pages.invalid(Templates.teamNew(pages.shell(SECTION), input));
        }
        try {
            var id = IdKind.TEAM.format(changes.create(name));
            return pages.redirect(address(id), Flash.TEAM_CREATED);
        } catch (Failure failure) {
            input.addError(NAME, failure);
            return pages.conflict(Templates.teamNew(pages.shell(SECTION), input));
        }
    }

    @GET
    @Path("/{id}")
    public Response team(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var team = TeamResponse.require(id);
        var teamId = IdKind.TEAM.require(id);
        var slice = UserProfile.list(query, teamId);
        var roles = TeamMember.rolesOf(
                teamId, slice.items().stream().map(UserProfile::id).toList());
        var rows = slice.items().stream()
                .map(user -> TeamRow.Member.of(user, roles.getOrDefault(user.id(), TeamRole.MEMBER)))
                .toList();
        return pages.ok(
                Templates.team(pages.shell(SECTION), TeamRow.of(team), rows, Paging.of(query, slice, address(id))));
    }

    @GET
    @Path("/{id}/rename")
    @AdminsOnly
    public Response renameForm(@PathParam("id") String id) {
        var team = TeamResponse.require(id);
        return pages.ok(renamePage(team, Input.empty().with(NAME, team.name())));
    }

    @POST
    @Path("/{id}/rename")
    @AdminsOnly
    public Response rename(@PathParam("id") String id, Form form) {
        var input = Input.of(form);
        var name = input.name(NAME);
        if (input.hasErrors()) {
            return pages.invalid(renamePage(TeamResponse.require(id), input));
        }
        try {
            changes.rename(id, name);
            return pages.redirect(address(id), Flash.TEAM_RENAMED);
        } catch (Failure failure) {
            input.addError(NAME, failure);
            return pages.conflict(renamePage(TeamResponse.require(id), input));
        }
    }

    private TemplateInstance renamePage(TeamResponse team, Input input) {
        return Templates.teamRename(pages.shell(SECTION), TeamRow.of(team), input);
    }

    static String address(String id) {
        return PATH + '/' + id;
    }
}
