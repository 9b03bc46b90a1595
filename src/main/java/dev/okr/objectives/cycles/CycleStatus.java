package dev.okr.objectives.cycles;

import java.time.Instant;

/** Where time stands in a cycle. */
public enum CycleStatus {
    PLANNED,
    ACTIVE,
    COMPLETED;

    /** The status that a cycle of these dates has at a moment: its start is within it, its end is not. */
    static CycleStatus at(Instant now, Instant startsAt, Instant endsAt) {
        if (now.isBefore(startsAt)) {
            return PLANNED;
        }
        return now.isBefore(endsAt) ? ACTIVE : COMPLETED;
    }
}
