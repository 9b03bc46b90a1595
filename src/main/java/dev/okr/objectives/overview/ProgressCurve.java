package dev.okr.objectives.overview;

import java.util.List;

/**
 * How a cycle's progress went, in the order of time; none before the cycle begins.
 *
 * @param everyNth the history was reconstructed from every nth objective, of every one when this is 1
 * @param complete whether there is a history; without one, the present alone is known
 */
public record ProgressCurve(List<ProgressPoint> points, long everyNth, boolean complete) {

    public boolean isSampled() {
        return complete && everyNth > 1;
    }
}
