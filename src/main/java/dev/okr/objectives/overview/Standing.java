package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;
import java.util.Map;

/**
 * How some objectives stand: how many there are, their mean progress, and how many have each status.
 *
 * @param counts the objectives of each status, of every one that there is
 */
public record Standing(long objectives, BigDecimal progress, Map<ObjectiveStatus, Long> counts) {

    public long count(ObjectiveStatus status) {
        return counts.getOrDefault(status, 0L);
    }
}
