package dev.okr.objectives.overview;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A team's objectives in a cycle.
 *
 * @param name null for the objectives that no team has
 * @param objectives those that need attention most, at most {@link Attention#MAX_OBJECTIVES_PER_TEAM}
 */
public record TeamOverview(@Nullable String name, Standing standing, List<ObjectiveLine> objectives) {

    /** How many objectives the team has beyond those that are shown. */
    public long moreObjectives() {
        return standing.objectives() - objectives.size();
    }
}
