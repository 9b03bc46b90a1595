package dev.okr.console.teams;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Input;
import dev.okr.console.Pages;
import dev.okr.objectives.TeamResponse;
import dev.okr.organizations.Team;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.User;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** The pages for the members of a team. */
@Path(TeamPagesResource.PATH + "/{id}/members")
@AdminsOnly
@RunOnVirtualThread
public class MemberResource {
    private static final String EMAIL = "email";
    private static final String ROLE = "role";

    private final TeamChanges changes;
    private final Pages pages;

    MemberResource(TeamChanges changes, Pages pages) {
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    @Path("/new")
    public Response newMember(@PathParam("id") String id) {
        return pages.ok(page(id, Input.empty().with(ROLE, EnumNames.format(TeamRole.MEMBER))));
    }

    /** People are selected by email address, since an organisation may have too many for a list. */
    @POST
    public Response add(@PathParam("id") String id, Form form) {
        var input = Input.of(form);
        var user = user(input);
        var role = input.choice(ROLE, TeamRole.class);
        if (user == null || role.isEmpty()) {
            return pages.invalid(page(id, input));
        }
        changes.setMember(id, user.id(), role.get());
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_ADDED);
    }

    @POST
    @Path("/{userId}/role")
    public Response change(@PathParam("id") String id, @PathParam("userId") String userId, Form form) {
        Team.require(id);
        // The page sends fixed values, so any other value comes from a program.
        var role = EnumNames.parse(TeamRole.class, form.value(ROLE))
                .orElseThrow(() -> Failure.malformed("The team role is unknown."));
        changes.changeMember(id, userId, role);
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_CHANGED);
    }

    @POST
    @Path("/{userId}/remove")
    public Response remove(@PathParam("id") String id, @PathParam("userId") String userId, Form form) {
        changes.remove(id, userId);
        return pages.redirect(TeamPagesResource.address(id), Flash.MEMBER_REMOVED);
    }

    private @Nullable User user(Input input) {
        var email = input.email(EMAIL);
        if (email.isEmpty()) {
            return null;
        }
        var user = User.findActive(email);
        if (user.isEmpty()) {
            input.addError(EMAIL, "No active user of your organisation has this email address.");
        }
        return user.orElse(null);
    }

    private TemplateInstance page(String id, Input input) {
        var team = TeamRow.of(TeamResponse.require(id));
        return Templates.memberNew(pages.shell(TeamPagesResource.SECTION), team, input);
    }
}
