package dev.okr.console.teams;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.teams.TeamMemberWriter;
import dev.okr.objectives.teams.TeamResponse;
import dev.okr.organizations.Team;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.User;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The pages for the members of a team. */
@Path(TeamPagesResource.PATH + "/{id}/members")
@AdminsOnly
@RunOnVirtualThread
public class MemberPagesResource {
    private static final String USER = "user";
    private static final String SEARCH = "q";
    private static final String ROLE = "role";

    private final Changes changes;
    private final Pages pages;

    MemberPagesResource(Changes changes, Pages pages) {
        this.changes = changes;
        this.pages = pages;
    }

    /**
     * People are found by name, since an organisation may have too many for a list.
     *
     * @param search a part of the name or email address; without it, the first people by name are shown
     */
    @GET
    @Path("/new")
    public Response newMember(@PathParam("id") String id, @QueryParam(SEARCH) @DefaultValue("") String search) {
        return pages.ok(page(id, search, Form.empty().with(ROLE, EnumNames.format(TeamRole.MEMBER))));
    }

    @POST
    public Response add(@PathParam("id") String id, Form form) {
        var teamId = Team.require(id);
        var user = user(form);
        var role = form.choice(ROLE, TeamRole.class);
        if (user.isEmpty() || role.isEmpty()) {
            return pages.invalid(page(id, form.value(SEARCH), form));
        }
        try {
            changes.run(change -> new TeamMemberWriter(change).addMember(teamId, user.get(), role.get()));
            return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_ADDED);
        } catch (Failure failure) {
            form.addError(USER, failure);
            return pages.conflict(page(id, form.value(SEARCH), form));
        }
    }

    @POST
    @Path("/{userId}/role")
    public Response change(@PathParam("id") String id, @PathParam("userId") String userId, Form form) {
        var teamId = Team.require(id);
        // The page sends fixed values, so any other value comes from a program.
        var role = EnumNames.parse(TeamRole.class, form.value(ROLE))
                .orElseThrow(() -> Failure.malformed("The team role is unknown."));
        changes.run(change -> new TeamMemberWriter(change).setMember(teamId, requireMember(teamId, userId), role));
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_CHANGED);
    }

    @GET
    @Path("/{userId}/remove")
    public Response removalForm(@PathParam("id") String id, @PathParam("userId") String userId) {
        var team = TeamRow.of(TeamResponse.require(id));
        var teamId = Team.require(id);
        var member = requireMember(teamId, userId);
        var role = TeamMember.rolesOf(teamId, List.of(member)).getOrDefault(member, TeamRole.MEMBER);
        return pages.ok(Templates.memberRemove(
                pages.shell(TeamPagesResource.SECTION), team, TeamRow.Member.of(UserProfile.require(userId), role)));
    }

    @POST
    @Path("/{userId}/remove")
    public Response remove(@PathParam("id") String id, @PathParam("userId") String userId, Form form) {
        var teamId = Team.require(id);
        changes.run(change -> new TeamMemberWriter(change).removeMember(teamId, requireMember(teamId, userId)));
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_REMOVED);
    }

    private static UUID requireMember(UUID teamId, String userId) {
        return IdKind.USER
                .parse(userId)
                .filter(id -> !TeamMember.rolesOf(teamId, List.of(id)).isEmpty())
                .orElseThrow(() -> Failure.notFound("member of the team"));
    }

    /** The selected user of the organisation. Empty if there is none. */
    private static Optional<UUID> user(Form form) {
        var user = IdKind.USER.parse(form.value(USER)).filter(User::exists);
        if (user.isEmpty()) {
            form.addError(USER, "Select a person.");
        }
        return user;
    }

    private TemplateInstance page(String id, String search, Form form) {
        var team = TeamRow.of(TeamResponse.require(id));
        var people = PeopleSearch.of(search, Team.require(id));
        return Templates.memberNew(pages.shell(TeamPagesResource.SECTION), team, people, form);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance memberNew(Shell shell, TeamRow team, PeopleSearch search, Form form);

        static native TemplateInstance memberRemove(Shell shell, TeamRow team, TeamRow.Member member);
    }
}
