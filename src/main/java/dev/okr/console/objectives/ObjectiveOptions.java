package dev.okr.console.objectives;

import dev.okr.console.Option;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.overview.Choices;
import dev.okr.platform.http.EnumNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a form of an objective. */
public record ObjectiveOptions(List<Option> cycles, List<Option> teams, List<Option> people, List<Option> statuses) {
    static ObjectiveOptions read() {
        return new ObjectiveOptions(
                Choices.openCycles().stream()
                        .map(cycle -> new Option(
                                cycle.id(),
                                cycle.name() + ", " + OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                                ""))
                        .toList(),
                options(Choices.teams()),
                options(Choices.people()),
                allStatuses());
    }

    /**
     * Adds the present cycle, team and owner of an objective, which may not be among the choices. Otherwise a browser
     * would send another choice.
     *
     * @param cycle null if the form has no cycle yet
     * @param team null without a team
     */
    ObjectiveOptions with(@Nullable Option cycle, @Nullable Option team, Option owner) {
        return new ObjectiveOptions(
                cycle == null ? cycles : including(cycles, cycle),
                team == null ? teams : including(teams, team),
                including(people, owner),
                statuses);
    }

    private static List<Option> including(List<Option> options, Option one) {
        if (options.stream().anyMatch(option -> option.value().equals(one.value()))) {
            return options;
        }
        var all = new ArrayList<Option>();
        all.add(one);
        all.addAll(options);
        return all;
    }

    private static List<Option> allStatuses() {
        return Arrays.stream(ObjectiveStatus.values())
                .map(status -> new Option(EnumNames.format(status), StatusShare.label(status), ""))
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

    private static List<Option> options(List<Choices.Choice> choices) {
        return choices.stream()
                .map(choice -> new Option(choice.id(), choice.name(), ""))
                .toList();
    }
}
