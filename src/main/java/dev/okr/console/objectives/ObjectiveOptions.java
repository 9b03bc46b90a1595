package dev.okr.console.objectives;

import dev.okr.console.Form;
import dev.okr.console.Option;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.overview.Choices;
import dev.okr.platform.http.EnumNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The options of a form of an objective or a key result.
 *
 * @param searchable whether the form has a search for the teams and people that the lists leave out
 */
public record ObjectiveOptions(
        List<Option> cycles, List<Option> teams, List<Option> people, List<Option> statuses, boolean searchable) {
    static final String TEAM = "team_id";
    static final String OWNER = "owner_id";

    private static final String FIND = "find";

    /** The field with the search text of the lists in the form. */
    private static final String FOUND = "found";

    /** The options that match the search of the form, and those that are already selected. */
    static ObjectiveOptions read(Form form) {
        var text = form.value(FIND);
        var teams = Option.of(Choices.teams(text, selected(form, TEAM)));
        var people = Option.of(Choices.people(text, selected(form, OWNER)));
        return new ObjectiveOptions(
                Choices.openCycles().stream()
                        .map(cycle -> new Option(
                                cycle.id(),
                                cycle.name() + ", " + OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                                ""))
                        .toList(),
                teams,
                people,
                StatusShare.options(),
                Choices.needSearch(text, teams, people));
    }

    /** The options for the owner of a key result. */
    static ObjectiveOptions owners(Form form) {
        var text = form.value(FIND);
        var people = Option.of(Choices.people(text, selected(form, OWNER)));
        return new ObjectiveOptions(List.of(), List.of(), people, List.of(), Choices.needSearch(text, people));
    }

    /** Whether the form was sent to search for teams and people. */
    static boolean isSearch(Form form) {
        return !form.value(FIND).equals(form.value(FOUND));
    }

    /** Adds the present cycle of an objective, which may be closed. Otherwise a browser would send another one. */
    ObjectiveOptions with(Option cycle) {
        if (cycles.stream().anyMatch(option -> option.value().equals(cycle.value()))) {
            return this;
        }
        var all = new ArrayList<Option>();
        all.add(cycle);
        all.addAll(cycles);
        return new ObjectiveOptions(all, teams, people, statuses, searchable);
    }

    /** The value in the form, the value that it showed at first, and the value that somebody else saved meanwhile. */
    private static List<String> selected(Form form, String field) {
        return Stream.concat(Stream.of(form.value(field), form.shown(field)), Stream.ofNullable(form.conflict(field)))
                .toList();
    }

    static List<Option> metrics() {
        return Arrays.stream(MetricType.values())
                .map(type -> new Option(
                        EnumNames.format(type),
                        switch (type) {
                            case NUMBER -> "Number";
                            case PERCENTAGE -> "Percentage";
                            case CURRENCY -> "Amount of money";
                            case BOOLEAN -> "Done or not done";
                        },
                        ""))
                .toList();
    }
}
