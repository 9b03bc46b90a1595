package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Changes objectives and alignments for the pages of the console, each in one transaction. The fields are those of the
 * API, with the same rules. The caller makes the id of a new resource. So a form that is sent twice creates one.
 */
@ApplicationScoped
public class ObjectiveWriter {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;

    ObjectiveWriter(UtcClock clock, Caller caller, Outbox outbox) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
    }

    /**
     * Creates an objective with its key results, unless it exists.
     *
     * @param fields the fields of one item of a batch
     * @throws Failure if a field is invalid; the pointers begin with {@code /objectives/0/}
     */
    @RetriedTransaction
    public void create(UUID id, Map<String, JsonValue> fields) {
        if (Objective.exists(id)) {
            return;
        }
        if (DeletedObjective.exists(id)) {
            throw Failure.conflict("This form has created an objective already. It is deleted now.");
        }
        var body = new BodyReader(Map.of("objectives", new JsonValue.Array(List.of(new JsonValue.Object(fields)))));
        ObjectiveBatch.read(body, () -> id).create(caller.userId(), clock.now(), outbox);
    }

    /**
     * Changes an objective.
     *
     * @param changes gets the objective under its lock, and returns the fields to change
     * @throws Failure if a field is invalid, or if the caller may not change the owner or the team
     */
    @RetriedTransaction
    public void update(String id, Function<ObjectiveResponse, Map<String, JsonValue>> changes) {
        var objective = Objective.requireLocked(id);
        var fields = changes.apply(objective.shown());
        objective.requireMayChange(fields, caller.userId());
        objective.update(UpdateObjective.read(new BodyReader(fields), objective.ownerId), clock.now(), outbox);
    }

    /** @throws Failure unless the caller may delete the objective */
    @RetriedTransaction
    public void delete(String id) {
        var objective = Objective.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), objective.shown(), "delete this");
        objective.delete(caller.userId(), clock.now(), outbox);
    }

    /**
     * Restores a deleted objective. Does nothing if it exists.
     *
     * @throws Failure unless the caller may restore the objective
     */
    @RetriedTransaction
    public void restore(String id) {
        if (IdKind.OBJECTIVE.parse(id).filter(Objective::exists).isPresent()) {
            return;
        }
        var deleted = DeletedObjective.requireLocked(id);
        Objective.requireManagedBy(caller.userId(), deleted.shown(), "restore this");
        deleted.restore(clock.now(), outbox);
    }

    @RetriedTransaction
    public void align(Map<String, JsonValue> fields) {
        Alignment.create(CreateAlignment.read(new BodyReader(fields)), clock.now(), outbox);
    }

    /** Changes the weight of an alignment. */
    @RetriedTransaction
    public void updateAlignment(String id, Map<String, JsonValue> fields) {
        Alignment.requireLocked(id).update(UpdateAlignment.read(new BodyReader(fields)), clock.now(), outbox);
    }

    @RetriedTransaction
    public void deleteAlignment(String id) {
        Alignment.requireLocked(id).delete(clock.now(), outbox);
    }
}
