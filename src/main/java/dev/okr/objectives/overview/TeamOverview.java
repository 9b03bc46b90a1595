package dev.okr.objectives.overview;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A team's objectives in a cycle.
 *
 * @param id null for the objectives without a team
 * @param name null for the objectives without a team
 * @param objectives the objectives that need most attention, at most {@link Attention#MAX_OBJECTIVES_PER_TEAM}
 */
public record TeamOverview(
        @Nullable UUID id, @Nullable String name, Standing standing, List<ObjectiveLine> objectives) {

    /** The number of objectives that are not shown. */
    public long moreObjectives() {
        return standing.objectives() - objectives.size();
    }
}
