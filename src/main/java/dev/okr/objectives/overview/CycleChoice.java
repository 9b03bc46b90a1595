package dev.okr.objectives.overview;

import dev.okr.objectives.cycles.CycleStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** A cycle that the reader of an overview can choose. */
public record CycleChoice(UUID id, String name, CycleStatus status, Instant startsAt, Instant endsAt) {

    /** The part of the cycle's time that has passed, from 0 to 1. */
    public double elapsed(Instant now) {
        var passed = Duration.between(startsAt, now);
        return Math.clamp((double) passed.toMillis() / length().toMillis(), 0, 1);
    }

    Duration length() {
        return Duration.between(startsAt, endsAt);
    }
}
