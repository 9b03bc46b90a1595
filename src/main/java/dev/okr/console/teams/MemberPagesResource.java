package dev.okr.console.teams;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.objectives.TeamMemberWriter;
import dev.okr.objectives.TeamResponse;
import dev.okr.organizations.Team;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.User;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The pages for the members of a team. */
@Path(TeamPagesResource.PATH + "/{id}/members")
@AdminsOnly
@RunOnVirtualThread
public class MemberPagesResource {
    private static final String EMAIL = "email";
    private static final String ROLE = "role";

    private final Changes changes;
    private final Pages pages;

    MemberPagesResource(Changes changes, Pages pages) {
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    @Path("/new")
    public Response newMember(@PathParam("id") String id) {
        return pages.ok(page(id, Form.empty().with(ROLE, EnumNames.format(TeamRole.MEMBER))));
    }

    /** People are selected by email address, since an organisation may have too many for a list. */
    @POST
    public Response add(@PathParam("id") String id, Form form) {
        var user = user(form);
        var role = form.choice(ROLE, TeamRole.class);
        if (user == null || role.isEmpty()) {
            return pages.invalid(page(id, form));
        }
        changes.run(change -> new TeamMemberWriter(change).setMember(Team.require(id), user.id(), role.get()));
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_ADDED);
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

    private @Nullable User user(Form form) {
        var email = form.email(EMAIL);
        if (email.isEmpty()) {
            return null;
        }
        var user = User.findActive(email);
        if (user.isEmpty()) {
            form.addError(EMAIL, "No active user of your organisation has this email address.");
        }
        return user.orElse(null);
    }

    private TemplateInstance page(String id, Form form) {
        var team = TeamRow.of(TeamResponse.require(id));
        return Templates.memberNew(pages.shell(TeamPagesResource.SECTION), team, form);
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance memberNew(Shell shell, TeamRow team, Form form);
    }
}
