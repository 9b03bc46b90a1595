package dev.okr.objectives.overview;

import dev.okr.objectives.cycles.CycleStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** A cycle that can be looked at. */
public record CycleChoice(UUID id, String name, CycleStatus status, Instant startsAt, Instant endsAt) {

    /** How much of the cycle's time has passed, from 0 to 1: where steady work would have brought its progress. */
    public double elapsed(Instant now) {
        var passed = Duration.between(startsAt, now);
        return Math.clamp((double) passed.toMillis() / length().toMillis(), 0, 1);
    }

    Duration length() {
        return Duration.between(startsAt, endsAt);
    }
}
