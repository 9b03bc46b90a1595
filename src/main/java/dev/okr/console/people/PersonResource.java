package dev.okr.console.people;

import dev.okr.console.AdminsOnly;
import dev.okr.console.ConsolePath;
import dev.okr.console.Flash;
import dev.okr.console.Form;
import dev.okr.console.Input;
import dev.okr.console.Pages;
import dev.okr.console.Paging;
import dev.okr.organizations.Role;
import dev.okr.organizations.Team;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
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
import java.util.List;

/** The pages for the people of the organisation. */
@Path(PersonResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class PersonResource {
    static final String PATH = "/settings/people";

    private static final String SECTION = "people";
    private static final String NAME = "name";
    private static final String EMAIL = "email";
    private static final String ROLE = "role";

    private final Caller caller;
    private final PersonChanges changes;
    private final Pages pages;

    PersonResource(Caller caller, PersonChanges changes, Pages pages) {
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
        return pages.ok(invitation(Input.empty().with(ROLE, EnumNames.format(Role.MEMBER))));
    }

    @POST
    public Response invite(Form form) {
        var input = Input.of(form);
        var name = input.name(NAME);
        var email = input.email(EMAIL);
        var role = input.choice(ROLE, Role.class);
        if (input.hasErrors() || role.isEmpty()) {
            return pages.invalid(invitation(input));
        }
        try {
            var id = IdKind.USER.format(changes.invite(name, email, role.get()));
            return pages.redirect(address(id), Flash.PERSON_INVITED);
        } catch (Failure failure) {
            input.addError(EMAIL, failure);
            return pages.conflict(invitation(input));
        }
    }

    @GET
    @Path("/{id}")
    public Response person(@PathParam("id") String id) {
        var user = UserProfile.require(id);
        return pages.ok(page(user, Input.empty().with(ROLE, EnumNames.format(user.role()))));
    }

    @POST
    @Path("/{id}/role")
    public Response changeRole(@PathParam("id") String id, Form form) {
        var input = Input.of(form);
        var role = input.choice(ROLE, Role.class);
        if (role.isEmpty()) {
            return pages.invalid(page(UserProfile.require(id), input));
        }
        try {
            changes.changeRole(id, role.get());
        } catch (Failure failure) {
            input.addError(ROLE, failure);
            return pages.conflict(page(UserProfile.require(id), input));
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
        changes.deactivate(id);
        return pages.redirect(address(id), Flash.PERSON_DEACTIVATED);
    }

    @POST
    @Path("/{id}/reactivate")
    public Response reactivate(@PathParam("id") String id, Form form) {
        changes.reactivate(id);
        return pages.redirect(address(id), Flash.PERSON_REACTIVATED);
    }

    private TemplateInstance invitation(Input input) {
        return Templates.personNew(pages.shell(SECTION), input);
    }

    private TemplateInstance page(UserProfile user, Input input) {
        return Templates.person(pages.shell(SECTION), row(user), input);
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

    private static String address(String id) {
        return PATH + '/' + id;
    }
}
