package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Changes key results and check-ins for the pages of the console. See {@link ObjectiveWriter}. {@link CheckInWriter}
 * adds check-ins.
 */
@ApplicationScoped
public class KeyResultWriter {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;

    KeyResultWriter(UtcClock clock, Caller caller, Outbox outbox) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
    }

    /** Adds a key result to an objective, unless it exists. */
    @RetriedTransaction
    public void create(UUID id, String objectiveId, Map<String, JsonValue> fields) {
        var objective = LockedObjective.require(objectiveId);
        if (TenantSql.current().exists(KeyResult.TABLE, id)) {
            return;
        }
        var request = CreateKeyResult.read(new BodyReader(fields));
        KeyResult.create(id, objective, request, caller.userId(), clock.now(), outbox);
    }

    /**
     * Changes a key result.
     *
     * @param changes gets the key result under its lock, and returns the fields to change
     * @throws dev.okr.platform.errors.Failure if a field is invalid, or if the caller may not change the owner
     */
    @RetriedTransaction
    public void update(String id, Function<KeyResultResponse, Map<String, JsonValue>> changes) {
        var keyResult = KeyResult.requireLocked(id);
        var fields = changes.apply(keyResult.shown());
        keyResult.requireMayChange(fields, caller.userId());
        keyResult.update(UpdateKeyResult.read(new BodyReader(fields), keyResult.shown()), clock.now(), outbox);
    }

    /** @throws dev.okr.platform.errors.Failure unless the caller may delete the key results of the objective */
    @RetriedTransaction
    public void delete(String id) {
        var keyResult = KeyResult.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), keyResult.objective().shown(), "delete this");
        keyResult.delete(clock.now(), outbox);
    }

    /**
     * Changes a check-in.
     *
     * @param changes gets the check-in under the lock, and returns the fields to change
     */
    @RetriedTransaction
    public void updateCheckIn(
            String keyResultId, String id, Function<CheckInResponse, Map<String, JsonValue>> changes) {
        var keyResult = KeyResult.requireLocked(keyResultId);
        var checkIn = CheckIn.require(keyResult, id);
        checkIn.requireEditableBy(caller);
        var now = clock.now();
        var fields = new BodyReader(changes.apply(checkIn.shown()));
        checkIn.update(UpdateCheckIn.read(fields, keyResult.shown().metricType(), now), now, outbox);
    }

    @RetriedTransaction
    public void deleteCheckIn(String keyResultId, String id) {
        var checkIn = CheckIn.require(KeyResult.requireLocked(keyResultId), id);
        checkIn.requireEditableBy(caller);
        checkIn.delete(clock.now(), outbox);
    }
}
