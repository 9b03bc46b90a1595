package dev.okr.console;

import dev.okr.organizations.User;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.UUID;

/**
 * A person as pages show one.
 *
 * @param teams the names of their teams, in one line
 * @param erased whether nothing but the id is kept, so that there is nothing to change
 * @param own whether it is whoever is using the page
 */
public record PersonRow(
        String id,
        String name,
        String email,
        String role,
        String teams,
        Moment created,
        String state,
        boolean active,
        boolean erased,
        boolean own) {

    static PersonRow of(User user, List<String> teams, UUID reader) {
        return new PersonRow(
                IdKind.USER.format(user.id()),
                user.name(),
                user.email(),
                RoleOptions.label(user.role()),
                String.join(", ", teams),
                Moment.of(user.createdAt()),
                state(user),
                user.isActive(),
                user.isErased(),
                user.id().equals(reader));
    }

    private static String state(User user) {
        if (user.isErased()) {
            return "Erased";
        }
        return user.isActive() ? "Active" : "Deactivated";
    }
}
