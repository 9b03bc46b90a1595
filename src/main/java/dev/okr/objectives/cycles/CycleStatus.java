package dev.okr.objectives.cycles;

import java.time.Instant;

/** Whether a cycle is in the future, current or in the past. */
public enum CycleStatus {
    PLANNED,
    ACTIVE,
    COMPLETED;

    /** The status at a given time. The start belongs to the cycle, the end does not. */
    static CycleStatus at(Instant now, Instant startsAt, Instant endsAt) {
        if (now.isBefore(startsAt)) {
            return PLANNED;
        }
        return now.isBefore(endsAt) ? ACTIVE : COMPLETED;
    }
}
