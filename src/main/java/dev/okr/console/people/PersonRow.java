package dev.okr.console.people;

import dev.okr.console.RoleOptions;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A person as pages show it.
 *
 * @param teams the names of the person's teams, in one line
 * @param erased whether the person's data were erased, so that nothing can be changed
 * @param own whether the person is the user of the page
 */
public record PersonRow(
        String id,
        String name,
        String email,
        String role,
        String teams,
        Instant created,
        String state,
        boolean active,
        boolean erased,
        boolean own) {

    static PersonRow of(UserProfile user, List<String> teams, UUID viewerId) {
        return new PersonRow(
                IdKind.USER.format(user.id()),
                user.name(),
                user.email(),
                RoleOptions.label(user.role()),
                String.join(", ", teams),
                user.createdAt(),
                state(user),
                user.isActive(),
                user.isErased(),
                user.id().equals(viewerId));
    }

    private static String state(UserProfile user) {
        if (user.isErased()) {
            return "Erased";
        }
        return user.isActive() ? "Active" : "Deactivated";
    }
}
