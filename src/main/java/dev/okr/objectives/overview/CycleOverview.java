package dev.okr.objectives.overview;

import java.time.Instant;
import java.util.List;

/**
 * A cycle at a glance.
 *
 * @param at the moment that it was looked at
 * @param asked whether this very cycle was asked for
 * @param choices the cycles to choose from, this one among them
 * @param teams those without a team first, then the teams by name; each has objectives here
 * @param moreTeams how many teams with objectives there are beyond {@code teams}
 */
public record CycleOverview(
        Instant at,
        boolean asked,
        CycleChoice cycle,
        List<CycleChoice> choices,
        Standing standing,
        List<TeamOverview> teams,
        long moreTeams,
        ProgressCurve curve) {

    CycleOverview with(ProgressCurve history) {
        return new CycleOverview(at, asked, cycle, choices, standing, teams, moreTeams, history);
    }
}
