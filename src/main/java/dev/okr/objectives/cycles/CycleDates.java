package dev.okr.objectives.cycles;

import dev.okr.platform.http.BodyReader;
import java.time.Instant;

/** The rule that a cycle begins before it ends. */
final class CycleDates {
    private CycleDates() {}

    static void check(BodyReader body, Instant startsAt, Instant endsAt) {
        if (body.isSound("starts_at", "ends_at") && !startsAt.isBefore(endsAt)) {
            body.reject("ends_at", "not_after_start", "ends_at must be later than starts_at.");
        }
    }
}
