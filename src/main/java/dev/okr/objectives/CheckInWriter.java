package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Adds the check-ins of forms. The id of a check-in follows from its form, so sending the form several times adds one
 * check-in. The form also contains the version of the key result that its user has seen. Nothing is added if somebody changed the value
 * meanwhile.
 */
@ApplicationScoped
public class CheckInWriter {
    private final Caller caller;
    private final Outbox outbox;
    private final UtcClock clock;

    CheckInWriter(Caller caller, Outbox outbox, UtcClock clock) {
        this.caller = caller;
        this.outbox = outbox;
        this.clock = clock;
    }

    /**
     * @param id the id of the new check-in
     * @param seen the {@link #version} that the user has seen
     * @param fields the fields of {@link CreateCheckIn}
     * @return whether the check-in exists now; false if the key result has another version
     * @throws Failure if there is no such key result, if a field is invalid, or if the cycle is closed
     */
    @RetriedTransaction
    public boolean create(UUID id, String keyResultId, String seen, BodyReader fields) {
        // The lock on the objective serialises the same form sent twice.
        var keyResult = KeyResult.requireLocked(keyResultId);
        if (TenantSql.current().exists(CheckIn.TABLE, id)) {
            return true;
        }
        var now = clock.now();
        var request = CreateCheckIn.read(fields, keyResult.shown(), now);
        if (!seen.equals(version(keyResult.shown().currentValue(), keyResult.lastRecordedAt()))) {
            return false;
        }
        CheckIn.create(id, keyResult, request, caller.userId(), now, outbox);
        return true;
    }

    /**
     * The version of a key result for forms. A check-in or another value changes it.
     *
     * @param lastRecordedAt the time of the last recorded check-in; null without check-ins
     */
    public static String version(BigDecimal currentValue, @Nullable Instant lastRecordedAt) {
        var value = currentValue.stripTrailingZeros().toPlainString();
        return lastRecordedAt == null ? value : value + '@' + ChronoUnit.MICROS.between(Instant.EPOCH, lastRecordedAt);
    }
}
