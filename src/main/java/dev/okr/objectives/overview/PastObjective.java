package dev.okr.objectives.overview;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the past progress of an objective. It is the weighted mean of its key results and of its children that
 * contribute. After its cycle was closed, the objective keeps its final progress.
 */
final class PastObjective {
    private final UUID id;
    private final int points;
    private final List<Child> children = new ArrayList<>();
    private PastProgress.@Nullable Present present;
    private boolean isChild;
    private long weight;

    /** The weighted progress of the key results at each point. Null without key results and after the calculation. */
    private long @Nullable [] sums;

    private int @Nullable [] progress;

    private record Child(PastObjective objective, long weight) {}

    PastObjective(UUID id, int points) {
        this.id = id;
        this.points = points;
    }

    UUID id() {
        return id;
    }

    /** Sets the objective as it is now. */
    void set(PastProgress.Present now) {
        this.present = now;
    }

    /** Whether it contributes to another objective, or another one contributes to it. */
    boolean isLinked() {
        return isChild || !children.isEmpty();
    }

    void addChild(PastObjective child, long childWeight) {
        child.isChild = true;
        children.add(new Child(child, childWeight));
    }

    void add(PastKeyResult keyResult, PastKeyResult.Values values) {
        if (sums == null) {
            sums = new long[points];
        }
        weight += keyResult.weight();
        keyResult.addTo(sums, values);
    }

    /** Adds the progress at each point. Call it when all key results below the objective are known. */
    void addTo(long[] total, List<Instant> moments) {
        var own = progress(moments);
        for (int i = 0; i < own.length; i++) {
            total[i] += own[i];
        }
        if (!isLinked()) {
            progress = null;
        }
    }

    /** Calls itself for the children. Alignments never form a loop, and their chains are short. */
    private int[] progress(List<Instant> moments) {
        if (progress == null) {
            progress = calculated(moments);
            sums = null;
        }
        return progress;
    }

    private int[] calculated(List<Instant> moments) {
        var weighted = sums == null ? new long[points] : sums;
        long all = weight;
        for (var child : children) {
            all += child.weight;
            var ofChild = child.objective.progress(moments);
            for (int i = 0; i < points; i++) {
                weighted[i] += child.weight * ofChild[i];
            }
        }
        var result = new int[points];
        for (int i = 0; i < points; i++) {
            result[i] = all == 0 ? 0 : (int) PastKeyResult.half(weighted[i], all);
        }
        keepFinal(result, moments);
        return result;
    }

    private void keepFinal(int[] result, List<Instant> moments) {
        var now = Objects.requireNonNull(present);
        var closedAt = now.closedAt();
        for (int i = points - 1; closedAt != null && i >= 0 && !moments.get(i).isBefore(closedAt); i--) {
            result[i] = now.progress()
                    .movePointRight(PastKeyResult.PROGRESS_DECIMALS)
                    .intValueExact();
        }
    }
}
