package dev.okr.objectives.overview;

import java.util.List;

/**
 * The progress of a cycle over time. Empty before the cycle starts.
 *
 * @param everyNth the history uses every nth objective; 1 for all objectives
 * @param complete whether the history was read; if not, only the present progress is known
 */
public record ProgressCurve(List<ProgressPoint> points, long everyNth, boolean complete) {

    public boolean isSampled() {
        return complete && everyNth > 1;
    }
}
