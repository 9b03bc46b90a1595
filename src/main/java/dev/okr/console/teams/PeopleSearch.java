package dev.okr.console.teams;

import dev.okr.console.Option;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.UUID;

/**
 * The people whom a search by name finds, as options of a form.
 *
 * @param more whether further people match
 */
public record PeopleSearch(String text, List<Option> people, boolean more) {
    private static final int MAX_PEOPLE = 20;

    /** Finds active people. An empty text finds the first ones by name. */
    static PeopleSearch of(String text, UUID teamId) {
        var words = Text.normalize(text);
        // One extra person tells whether there are more.
        var found = UserProfile.search(words, true, MAX_PEOPLE + 1);
        var shown = found.subList(0, Math.min(found.size(), MAX_PEOPLE));
        var members =
                TeamMember.rolesOf(teamId, shown.stream().map(UserProfile::id).toList());
        var options = shown.stream()
                .map(user -> new Option(
                        IdKind.USER.format(user.id()),
                        user.name(),
                        user.email() + (members.containsKey(user.id()) ? ", already a member" : "")))
                .toList();
        return new PeopleSearch(words, options, found.size() > shown.size());
    }
}
