package dev.okr.console.teams;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.objectives.overview.TeamObjective;
import dev.okr.objectives.teams.TeamResponse;
import dev.okr.objectives.teams.TeamWriter;
import dev.okr.organizations.Team;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
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

/** The pages for teams. Everybody can see them, and admins can change them. */
@Path(TeamPagesResource.PATH)
@RunOnVirtualThread
public class TeamPagesResource {
    static final String PATH = "/settings/teams";
    static final String SECTION = "teams";

    /** The page with all objectives of a team is not one of the settings. */
    private static final String OVERVIEW = "overview";

    private static final String NAME = "name";
    private static final int OBJECTIVES_ON_TEAM_PAGE = 10;

    private final Changes changes;
    private final Pages pages;

    TeamPagesResource(Changes changes, Pages pages) {
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
        return pages.ok(Templates.teamNew(pages.shell(SECTION), Form.empty()));
    }

    @POST
    @AdminsOnly
    public Response create(Form form) {
        var name = form.name(NAME);
        if (form.hasErrors()) {
            return pages.invalid(Templates.teamNew(pages.shell(SECTION), form));
        }
        try {
            var id = changes.make(change -> new TeamWriter(change).create(name));
            return pages.redirect(address(IdKind.TEAM.format(id)), Flash.TEAM_CREATED);
        } catch (Failure failure) {
            form.addError(NAME, failure);
            return pages.conflict(Templates.teamNew(pages.shell(SECTION), form));
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
        var objectives = TeamRow.Objective.of(TeamObjective.list(teamId, 0, OBJECTIVES_ON_TEAM_PAGE));
        return pages.ok(Templates.team(
                pages.shell(SECTION), TeamRow.of(team), rows, Paging.of(query, slice, address(id)), objectives));
    }

    /** All objectives of a team. The page of the team in the settings has only the newest ones. */
    @GET
    @Path("/{id}/objectives")
    public Response objectives(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var team = TeamResponse.require(id);
        var found = TeamObjective.list(IdKind.TEAM.require(id), query.offset(), query.perPage());
        var slice = new Slice<>(found, team.objectivesCount(), null);
        return pages.ok(Templates.teamObjectives(
                pages.shell(OVERVIEW),
                TeamRow.of(team),
                TeamRow.Objective.of(found),
                Paging.of(query, slice, address(id) + "/objectives")));
    }

    @GET
    @Path("/{id}/rename")
    @AdminsOnly
    public Response renameForm(@PathParam("id") String id) {
        var team = TeamResponse.require(id);
        return pages.ok(renamePage(team, Form.empty().with(NAME, team.name())));
    }

    @POST
    @Path("/{id}/rename")
    @AdminsOnly
    public Response rename(@PathParam("id") String id, Form form) {
        var name = form.name(NAME);
        if (form.hasErrors()) {
            return pages.invalid(renamePage(TeamResponse.require(id), form));
        }
        try {
            changes.run(change -> new TeamWriter(change).rename(Team.require(id), name));
            return pages.redirect(address(id), Flash.TEAM_RENAMED);
        } catch (Failure failure) {
            form.addError(NAME, failure);
            return pages.conflict(renamePage(TeamResponse.require(id), form));
        }
    }

    private TemplateInstance renamePage(TeamResponse team, Form form) {
        return Templates.teamRename(pages.shell(SECTION), TeamRow.of(team), form);
    }

    static String address(String id) {
        return PATH + '/' + id;
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance teams(Shell shell, List<TeamRow> teams, Paging paging);

        static native TemplateInstance teamNew(Shell shell, Form form);

        static native TemplateInstance team(
                Shell shell,
                TeamRow team,
                List<TeamRow.Member> members,
                Paging paging,
                List<TeamRow.Objective> objectives);

        static native TemplateInstance teamObjectives(
                Shell shell, TeamRow team, List<TeamRow.Objective> objectives, Paging paging);

        static native TemplateInstance teamRename(Shell shell, TeamRow team, Form form);
    }
}
