package dev.okr.console.people;

import dev.okr.console.AdminsOnly;
import dev.okr.console.Changes;
import dev.okr.console.ConsolePath;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import dev.okr.organizations.Role;
import dev.okr.organizations.Team;
import dev.okr.organizations.UserProfile;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
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
import java.util.UUID;

/** The pages for the people of the organisation. */
@Path(PeoplePagesResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class PeoplePagesResource {
    static final String PATH = "/settings/people";

    private static final String SECTION = "people";
    private static final String NAME = "name";
    private static final String EMAIL = "email";
    private static final String ROLE = "role";

    private final Caller caller;
    private final Changes changes;
    private final Pages pages;

    PeoplePagesResource(Caller caller, Changes changes, Pages pages) {
        this.caller = caller;
        this.changes = changes;
        this.pages = pages;
    }

    @GET
    public Response listPeople(@Context UriInfo uri) {
        var query = ListQuery.byName(uri);
        var slice = UserProfile.list(query, null);
        return pages.ok(Templates.people(pages.shell(SECTION), rows(slice.items()), Paging.of(query, slice, PATH)));
    }

    @GET
    @Path("/new")
    public Response newPerson() {
        return pages.ok(invitation(Form.empty().with(ROLE, EnumNames.format(Role.MEMBER))));
    }

    @POST
    public Response invite(Form form) {
        var name = form.name(NAME);
        var email = form.email(EMAIL);
        var role = form.choice(ROLE, Role.class);
        if (form.hasErrors() || role.isEmpty()) {
            return pages.invalid(invitation(form));
        }
        try {
            var id = changes.make(change -> new UserWriter(change).invite(name, email, role.get()));
            return pages.redirect(address(IdKind.USER.format(id)), Flash.PERSON_INVITED);
        } catch (Failure failure) {
            form.addError(EMAIL, failure);
            return pages.conflict(invitation(form));
        }
    }

    @GET
    @Path("/{id}")
    public Response person(@PathParam("id") String id) {
        var user = UserProfile.require(id);
        return pages.ok(page(user, Form.empty().with(ROLE, EnumNames.format(user.role()))));
    }

    @POST
    @Path("/{id}/role")
    public Response changeRole(@PathParam("id") String id, Form form) {
        var role = form.choice(ROLE, Role.class);
        if (role.isEmpty()) {
            return pages.invalid(page(UserProfile.require(id), form));
        }
        try {
            var user = UserProfile.require(id);
            AuditLog.Step step = change -> new UserWriter(change).changeRole(user.id(), role.get());
            if (user.role() == Role.ADMIN && role.get() != Role.ADMIN) {
                changes.endAccess(step);
            } else {
                changes.run(step);
            }
        } catch (Failure failure) {
            form.addError(ROLE, failure);
            return pages.conflict(page(UserProfile.require(id), form));
        }
        boolean removedOwnAdminRole = IdKind.USER.format(caller.userId()).equals(id) && role.get() != Role.ADMIN;
        return pages.redirect(removedOwnAdminRole ? ConsolePath.ROOT : address(id), Flash.ROLE_CHANGED);
    }

    @GET
    @Path("/{id}/deactivate")
    public Response deactivationForm(@PathParam("id") String id) {
        return pages.ok(Templates.personDeactivate(pages.shell(SECTION), row(UserProfile.require(id))));
    }

    @POST
    @Path("/{id}/deactivate")
    public Response deactivate(@PathParam("id") String id, Form form) {
        var userId = parse(id);
        if (userId.equals(caller.userId())) {
            throw Failure.conflict("You cannot deactivate yourself. Ask another admin.");
        }
        changes.endAccess(change -> new UserWriter(change).deactivate(userId));
        return pages.redirect(address(id), Flash.PERSON_DEACTIVATED);
    }

    @POST
    @Path("/{id}/reactivate")
    public Response reactivate(@PathParam("id") String id, Form form) {
        changes.run(change -> new UserWriter(change).reactivate(parse(id)));
        return pages.redirect(address(id), Flash.PERSON_REACTIVATED);
    }

    private TemplateInstance invitation(Form form) {
        return Templates.personNew(pages.shell(SECTION), form);
    }

    private TemplateInstance page(UserProfile user, Form form) {
        return Templates.person(pages.shell(SECTION), row(user), form);
    }

    private PersonRow row(UserProfile user) {
        return rows(List.of(user)).getFirst();
    }

    private List<PersonRow> rows(List<UserProfile> users) {
        var teams = Team.namesOf(users.stream().map(UserProfile::id).toList());
        return users.stream()
                .map(user -> PersonRow.of(user, teams.getOrDefault(user.id(), List.of()), caller.userId()))
                .toList();
    }

    private static UUID parse(String id) {
        return IdKind.USER.parse(id).orElseThrow(() -> Failure.notFound("user"));
    }

    private static String address(String id) {
        return PATH + '/' + id;
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance people(Shell shell, List<PersonRow> people, Paging paging);

        static native TemplateInstance personNew(Shell shell, Form form);

        static native TemplateInstance person(Shell shell, PersonRow person, Form form);

        static native TemplateInstance personDeactivate(Shell shell, PersonRow person);
    }
}
