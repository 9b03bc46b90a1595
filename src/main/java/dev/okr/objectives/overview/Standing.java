package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import java.math.BigDecimal;
import java.util.Map;

/**
 * The number of some objectives, their mean progress, and the number for each status.
 *
 * @param counts the number of objectives for each status
 */
public record Standing(long objectives, BigDecimal progress, Map<ObjectiveStatus, Long> counts) {

    public long count(ObjectiveStatus status) {
        return counts.getOrDefault(status, 0L);
    }
}
