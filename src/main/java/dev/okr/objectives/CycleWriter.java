package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.CreateCycle;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.objectives.cycles.UpdateCycle;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Changes cycles for the pages of the console. See {@link ObjectiveWriter}. Only admins may call it. */
@ApplicationScoped
public class CycleWriter {
    private final UtcClock clock;
    private final Caller caller;
    private final Outbox outbox;
    private final PendingWrites writes;
    private final AuditLog roles;

    CycleWriter(UtcClock clock, Caller caller, Outbox outbox, PendingWrites writes, AuditLog roles) {
        this.clock = clock;
        this.caller = caller;
        this.outbox = outbox;
        this.writes = writes;
        this.roles = roles;
    }

    /** Creates a cycle, unless it exists. */
    @RetriedTransaction
    public void create(UUID id, Map<String, JsonValue> fields) {
        roles.requireUnchangedAuthor();
        if (!Cycle.exists(id)) {
            Cycle.create(id, CreateCycle.read(new BodyReader(fields)), clock.now(), outbox);
        }
    }

    /**
     * Changes a cycle.
     *
     * @param changes gets the cycle under its lock, and returns the fields to change
     */
    @RetriedTransaction
    public void update(String id, Function<CycleResponse, Map<String, JsonValue>> changes) {
        roles.requireUnchangedAuthor();
        var cycle = Cycle.requireLocked(id);
        var before = Cycle.require(id);
        var fields = new BodyReader(changes.apply(before));
        cycle.update(UpdateCycle.read(fields, before), before, clock.now(), outbox);
    }

    @RetriedTransaction
    public void close(String id) {
        roles.requireUnchangedAuthor();
        CycleClosing.close(id, clock.now(), outbox);
    }

    @RetriedTransaction
    public void reopen(String id) {
        roles.requireUnchangedAuthor();
        CycleClosing.reopen(id, clock.now(), outbox);
    }

    /** Copies objectives into another cycle. Objectives that were copied before are left out. */
    @RetriedTransaction
    public List<ObjectiveResponse> carryOver(String id, Map<String, JsonValue> fields) {
        roles.requireUnchangedAuthor();
        var from = Cycle.requireId(id);
        var body = new BodyReader(fields);
        var request = CarryOver.read(body, from, ids -> CarriedObjectives.ofCycle(from, ids));
        return CarriedObjectives.lock(from, request, body).copy(caller.userId(), clock.now(), outbox, writes);
    }
}
