package dev.okr.objectives.overview;

import java.time.Instant;
import java.util.List;

/**
 * The overview of a cycle.
 *
 * @param at the time of the overview
 * @param asked whether the reader selected this cycle
 * @param choices the cycles to choose from, including this one
 * @param teams the teams that have objectives in the cycle, by name; objectives without a team come first
 * @param staleKeyResults how many key results need a check-in, as {@link CycleSummary} counts them
 * @param moreTeams the number of teams with objectives that {@code teams} leaves out
 */
public record CycleOverview(
        Instant at,
        boolean asked,
        CycleChoice cycle,
        List<CycleChoice> choices,
        Standing standing,
        List<TeamOverview> teams,
        long moreTeams,
        long staleKeyResults,
        ProgressCurve curve) {

    CycleOverview with(long stale, ProgressCurve history) {
        return new CycleOverview(at, asked, cycle, choices, standing, teams, moreTeams, stale, history);
    }
}
