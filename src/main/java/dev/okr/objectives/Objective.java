package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Team;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An objective whose row is locked, with the totals from which its progress is computed.
 *
 * <p>This lock protects the whole aggregate. Every change of an objective, its key results or their check-ins holds it
 * until the commit. So the stored progress is the mean of the key results at every commit. Concurrent check-ins do not
 * lose progress, and two writers of one objective cannot deadlock.
 *
 * <p>The totals are read when the lock is acquired. Use an instance for one change only.
 *
 * @param shown the objective before the change, as the API shows it
 * @param progressSum the sum of the progress of all key results
 * @param keyResults the number of key results
 */
record Objective(UUID id, ObjectiveResponse shown, BigDecimal progressSum, long keyResults) {
    static final TenantTable<ObjectiveResponse> TABLE = new TenantTable<>(
            "objective",
            List.of(
                    "id",
                    "title",
                    "description",
                    "owner_id",
                    "cycle_id",
                    "team_id",
                    "progress",
                    "status",
                    "created_at",
                    "updated_at"),
            ObjectiveResponse::read);

    /** The statement that takes the lock. It ends where the condition on the objective's id follows. */
    static final String LOCK = "SELECT " + TABLE.columns("o")
            + " FROM objective o WHERE o.organization_id = :organization AND o.id = %s FOR NO KEY UPDATE;\n";

    // The second statement starts when the lock is held. With READ COMMITTED, each statement has its own snapshot, so
    // this one sees everything that others committed before.
    private static final String LOCK_AND_READ = LOCK.formatted("?") + """
            SELECT coalesce(sum(k.progress), 0) AS progress_sum, count(*) AS key_results
            FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?
            """;

    private static final String UPDATE = """
            UPDATE objective SET title = ?, description = ?, owner_id = ?, cycle_id = ?, team_id = ?, status = ?,
                updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    private static final String UPDATE_PROGRESS =
            "UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = :organization AND id = ?";

    private static final String DELETE = "DELETE FROM objective WHERE organization_id = :organization AND id = ?";

    /** Adds up the totals of the cycles. Each objective is in exactly one cycle. */
    private static final String COUNT_ALL =
            "SELECT coalesce(sum(t.objectives), 0) FROM cycle_totals t WHERE t.organization_id = :organization";

    static ObjectiveResponse create(CreateObjective request, UUID author, Instant now, Outbox outbox) {
        var id = UuidV7.at(now);
        var ownerId = Objects.requireNonNullElse(request.ownerId(), author);
        var created = new ObjectiveResponse(
                IdKind.OBJECTIVE.format(id),
                request.title(),
                request.description(),
                IdKind.USER.format(ownerId),
                IdKind.CYCLE.format(request.cycleId()),
                request.teamId() == null ? null : IdKind.TEAM.format(request.teamId()),
                Progress.NONE,
                ObjectiveStatus.NOT_STARTED,
                now,
                now);
        TABLE.insert(
                id,
                created.title(),
                created.description(),
                ownerId,
                request.cycleId(),
                request.teamId(),
                created.progress(),
                EnumNames.format(created.status()),
                now,
                now);
        outbox.created(EventType.OBJECTIVE_CREATED, created.id(), created);
        return created;
    }

    /** Changes the fields that the request contains. */
    ObjectiveResponse update(UpdateObjective request, Instant now, Outbox outbox) {
        var ownerId = request.ownerId().orElse(IdKind.USER.require(shown.ownerId()));
        var cycleId = request.cycleId().orElse(IdKind.CYCLE.require(shown.cycleId()));
        var teamId = request.teamId().applyTo(shown.teamId() == null ? null : IdKind.TEAM.require(shown.teamId()));
        var changed = new ObjectiveResponse(
                shown.id(),
                request.title().orElse(shown.title()),
                request.description().applyTo(shown.description()),
                IdKind.USER.format(ownerId),
                IdKind.CYCLE.format(cycleId),
                teamId == null ? null : IdKind.TEAM.format(teamId),
                shown.progress(),
                request.status().orElse(shown.status()),
                shown.createdAt(),
                now);
        if (changed.equals(shown.withProgress(shown.progress(), now))) {
            return shown;
        }
        TenantSql.current()
                .write(
                        UPDATE,
                        changed.title(),
                        changed.description(),
                        ownerId,
                        cycleId,
                        teamId,
                        EnumNames.format(changed.status()),
                        now,
                        id);
        outbox.updated(EventType.OBJECTIVE_UPDATED, shown.id(), shown, changed);
        return changed;
    }

    /**
     * Sets the objective's progress to the mean of its key results. If it differs, {@code updated_at} changes too, and
     * there is an event.
     *
     * @param sum the sum of the progress of all key results after the change
     * @param count the number of key results after the change
     */
    void rollUp(BigDecimal sum, long count, Instant now, Outbox outbox) {
        var mean = Progress.mean(sum, count);
        if (mean.compareTo(shown.progress()) == 0) {
            return;
        }
        TenantSql.current().write(UPDATE_PROGRESS, mean, now, id);
        outbox.updated(EventType.OBJECTIVE_UPDATED, shown.id(), shown, shown.withProgress(mean, now));
    }

    /**
     * Checks that the caller may delete the objective and its key results.
     *
     * @throws Failure unless the caller is an admin, the owner of the objective or a lead of its team
     */
    void requireDeletableBy(Caller caller) {
        boolean isAllowed = caller.isAdmin()
                || shown.ownerId().equals(IdKind.USER.format(caller.userId()))
                || (shown.teamId() != null && Team.isLead(IdKind.TEAM.require(shown.teamId()), caller.userId()));
        if (!isAllowed) {
            throw Failure.forbidden("Only an admin, the objective's owner or a lead of its team may delete this.");
        }
    }

    /** Deletes the objective with its alignments, its key results and their check-ins. */
    void delete(Outbox outbox) {
        Alignment.deleteOf(id, outbox);
        KeyResult.deleteOf(id, outbox);
        outbox.deleted(EventType.OBJECTIVE_DELETED, shown.id(), shown);
        TenantSql.current().write(DELETE, id);
    }

    static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure if the organisation has no such objective */
    static UUID requireId(String publicId) {
        return IdKind.OBJECTIVE.parse(publicId).filter(Objective::exists).orElseThrow(Objective::notFound);
    }

    /**
     * Locks an objective to change it or something in it.
     *
     * @throws Failure if the organisation has no such objective
     */
    static Objective requireLocked(String publicId) {
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstOfBoth(TABLE.reader(), Totals::read, Objective::of, LOCK_AND_READ, id, id))
                .orElseThrow(Objective::notFound);
    }

    /** Lists the objectives that the filters of the query select, of one team or of all. */
    static Slice<ObjectiveResponse> list(ListQuery query, @Nullable UUID teamId) {
        var objectives = NewestFirst.of(TABLE).countedBy(COUNT_ALL);
        var cycleId = query.id("cycle_id", IdKind.CYCLE);
        if (cycleId != null) {
            objectives.with("cycle_id", cycleId).countedBy(COUNT_ALL + " AND t.cycle_id = ?", cycleId);
        }
        return objectives
                .with("team_id", teamId)
                .with("team_id", query.id("team_id", IdKind.TEAM))
                .with("owner_id", query.id("owner_id", IdKind.USER))
                .with("status", query.constant("status", ObjectiveStatus.class))
                .slice(query);
    }

    /** The totals as a statement returns them in the columns {@code progress_sum} and {@code key_results}. */
    record Totals(BigDecimal progressSum, long keyResults) {
        static Totals read(ResultSet row) throws SQLException {
            return new Totals(row.getBigDecimal("progress_sum"), row.getLong("key_results"));
        }
    }

    static Objective of(ObjectiveResponse shown, Totals totals) {
        return new Objective(IdKind.OBJECTIVE.require(shown.id()), shown, totals.progressSum(), totals.keyResults());
    }

    static Failure notFound() {
        return Failure.notFound("objective");
    }
}
