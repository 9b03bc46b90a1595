package dev.okr.console.week;

import dev.okr.console.ConsolePath;
import dev.okr.objectives.overview.DueKeyResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of the start page.
 *
 * @param groups the key results that are due, by objective
 * @param due how many of them can be checked in
 * @param more whether the page is full, so that more may be due
 */
public record WeekPage(List<Group> groups, long due, boolean more, List<OwnObjectiveRow> objectives) {

    /** The key results of one objective that are due. */
    public record Group(String title, String address, List<CheckInRow> rows) {}

    /** @param rows in the order of the page, those of one objective next to each other */
    static WeekPage of(List<CheckInRow> rows, List<OwnObjectiveRow> objectives) {
        Map<String, Group> groups = new LinkedHashMap<>();
        for (var row : rows) {
            var address = ConsolePath.objective(row.objectiveId());
            groups.computeIfAbsent(address, key -> new Group(row.keyResult().objective(), address, new ArrayList<>()))
                    .rows()
                    .add(row);
        }
        return new WeekPage(
                List.copyOf(groups.values()),
                rows.stream().filter(row -> !row.isClosed()).count(),
                rows.size() >= DueKeyResult.MAX_SHOWN,
                objectives);
    }
}
