package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.Cycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.organizations.Team;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A deleted objective that is locked to restore it. Deleted objectives, key results, check-ins and alignments are in
 * tables of their own, with the same columns.
 *
 * <p>The lock on the row lets only one of two concurrent requests restore the objective. The other one finds no row.
 *
 * @param shown the objective as it was before
 * @param checkIns the number of its check-ins
 */
record DeletedObjective(UUID id, ObjectiveResponse shown, long checkIns) {
    /** How long an objective can be restored. {@link DeletedObjectivePruner} deletes its rows later. */
    static final Duration RETENTION = Duration.ofDays(30);

    /**
     * One statement adds them, while other requests wait for the lock on the organisation. 100,000 took 2 s, and up to
     * 4 s on a busy machine. The driver waits 3 s for a response.
     */
    static final int MAX_RESTORED_CHECK_INS = 100_000;

    private static final TenantTable<DeletedObjectiveResponse> TABLE = new TenantTable<>(
            "deleted_objective",
            List.of(
                    "id",
                    "title",
                    "deleted_at",
                    "deleted_by",
                    "key_results_count",
                    "check_ins_count",
                    "alignments_count"),
            DeletedObjectiveResponse::read);

    // Conditions that select the rows t of one objective. The last one needs the name of the table of key results.
    private static final String THE_OBJECTIVE = "t.id = ?";
    private static final String ITS_KEY_RESULTS = "t.objective_id = ?";
    private static final String ITS_CHECK_INS =
            "t.key_result_id IN (SELECT k.id FROM %s k WHERE k.organization_id = :organization AND k.objective_id = ?)";
    private static final String ITS_DELETED_CHECK_INS = ITS_CHECK_INS.formatted("deleted_key_result");

    private static final String KEEP = """
            INSERT INTO deleted_objective (organization_id, %s, deleted_at, deleted_by, key_results_count,
                check_ins_count, alignments_count)
            SELECT o.organization_id, %s, now(), ?::uuid,
                (SELECT count(*) FROM key_result t WHERE t.organization_id = :organization AND %s),
                (SELECT count(*) FROM check_in t WHERE t.organization_id = :organization AND %s),
                ?::bigint
            FROM objective o WHERE o.organization_id = :organization AND o.id = ?
            """.formatted(
                    String.join(", ", Objective.TABLE.columns()),
                    Objective.TABLE.columns("o"),
                    ITS_KEY_RESULTS,
                    ITS_CHECK_INS.formatted("key_result"));
    private static final String COUNT_CHECK_INS = """
            SELECT coalesce(sum(coalesce(k.check_ins, (
                SELECT count(*) FROM check_in c
                WHERE c.organization_id = :organization AND c.key_result_id = k.id))), 0) AS check_ins
            FROM key_result k
            WHERE k.organization_id = :organization AND k.objective_id = ?
            """;

    private static final String KEEP_KEY_RESULTS =
            KeyResult.TABLE.copy("key_result", "deleted_key_result", ITS_KEY_RESULTS);
    /** Copies no check-ins if they are too many to restore. The copy could take longer than a request may last. */
    private static final String KEEP_CHECK_INS = CheckIn.TABLE.copy(
            "check_in",
            "deleted_check_in",
            ITS_CHECK_INS.formatted("key_result") + " AND (SELECT d.check_ins_count FROM deleted_objective d"
                    + " WHERE d.organization_id = :organization AND d.id = ?) <= " + MAX_RESTORED_CHECK_INS);

    /** By the clock of the database, as in {@link DeletedObjectivePruner}. */
    private static final String NOT_EXPIRED = "%s.deleted_at > now() - make_interval(secs => ?)";

    private static final String LOCK = "SELECT " + Objective.TABLE.columns("d")
            + ", d.check_ins_count FROM deleted_objective d WHERE d.organization_id = :organization AND d.id = ? AND "
            + NOT_EXPIRED.formatted("d") + " FOR UPDATE";
    private static final String RESTORE = Objective.TABLE.copy("deleted_objective", "objective", THE_OBJECTIVE);
    private static final String SET_UPDATED =
            "UPDATE objective SET updated_at = ? WHERE organization_id = :organization AND id = ?";
    private static final String RESTORE_KEY_RESULTS =
            KeyResult.TABLE.copy("deleted_key_result", "key_result", ITS_KEY_RESULTS);
    private static final String RESTORE_CHECK_INS =
            CheckIn.TABLE.copy("deleted_check_in", "check_in", ITS_DELETED_CHECK_INS);

    private static final String FORGET_CHECK_INS =
            "DELETE FROM deleted_check_in t WHERE" + " t.organization_id = :organization AND " + ITS_DELETED_CHECK_INS;

    /** The foreign key deletes its key results too. */
    private static final String FORGET =
            "DELETE FROM deleted_objective WHERE organization_id = :organization AND id = ?";

    /**
     * Copies an objective with its key results and check-ins, before they are deleted. Check-ins are not copied if
     * there are more than {@link #MAX_RESTORED_CHECK_INS}. The caller holds the lock on the objective.
     *
     * @param alignments the number of alignments that are deleted with the objective
     */
    static void keep(UUID id, int alignments, UUID author, Outbox outbox) {
        var sql = TenantSql.current();
        long checkIns =
                sql.first(row -> row.getLong("check_ins"), COUNT_CHECK_INS, id).orElseThrow();
        outbox.chargeCheckIns(checkIns > MAX_RESTORED_CHECK_INS ? 0 : checkIns);
        sql.write(KEEP, author, id, id, alignments, id);
        sql.write(KEEP_KEY_RESULTS, id);
        sql.write(KEEP_CHECK_INS, id, id);
    }

    /**
     * Locks a deleted objective to restore it.
     *
     * @throws Failure if the organisation has deleted no such objective in the last 30 days
     */
    static DeletedObjective requireLocked(String publicId) {
        // Restoring can create alignments. Alignment.create takes these locks too, and also before all others.
        TenantSql.current().lockOrganization();
        ContributionLock.lock();
        return IdKind.OBJECTIVE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .first(
                                row -> new DeletedObjective(
                                        id, Objective.TABLE.reader().read(row), row.getLong("check_ins_count")),
                                LOCK,
                                id,
                                RETENTION.toSeconds()))
                .orElseThrow(() -> Failure.notFound("deleted objective"));
    }

    /**
     * Restores the objective with its key results, check-ins and alignments. Only {@code updated_at} of the objective
     * changes. So clients that ask for changed objectives find it.
     *
     * @throws Failure a conflict if it has too many check-ins, if the cycle or the team no longer exists, if another
     *     resource has one of the external ids, if the cycle is closed or full, or if it has another copy of the same
     *     objective
     */
    ObjectiveDetail restore(Instant now, Outbox outbox) {
        if (checkIns > MAX_RESTORED_CHECK_INS) {
            throw Failure.conflict(String.format(
                    Locale.ROOT,
                    "The objective cannot be restored, because it has more than %,d check-ins.",
                    MAX_RESTORED_CHECK_INS));
        }
        requireCycleAndTeam();
        var cycle = IdKind.CYCLE.require(shown.cycleId());
        Objective.requireRoomIn(cycle);
        Objective.requireOnlyCopyIn(
                cycle, shown.carriedOverFrom() == null ? null : IdKind.OBJECTIVE.require(shown.carriedOverFrom()));
        // An import after the deletion can have created a copy that has this id as its external id.
        Objective.TABLE.findExternalIds(List.of(shown.id())).forEach((taken, copy) -> {
            throw TenantTable.taken(IdKind.OBJECTIVE, taken, copy);
        });
        requireFreeExternalIds(IdKind.OBJECTIVE, Objective.TABLE, THE_OBJECTIVE);
        requireFreeExternalIds(IdKind.KEY_RESULT, KeyResult.TABLE, ITS_KEY_RESULTS);
        requireFreeExternalIds(IdKind.CHECK_IN, CheckIn.TABLE, ITS_DELETED_CHECK_INS);
        CycleTotals.begin();
        var sql = TenantSql.current();
        Objective.WORDS.put(id, shown.createdAt(), shown.title(), shown.description());
        outbox.chargeCheckIns(checkIns);
        sql.write(RESTORE, id);
        sql.write(SET_UPDATED, Timestamps.later(now, shown.updatedAt()), id);
        sql.write(RESTORE_KEY_RESULTS, id);
        sql.write(RESTORE_CHECK_INS, id);
        outbox.created(
                EventType.OBJECTIVE_RESTORED,
                shown.id(),
                ObjectiveDetail.require(shown.id()).objective());
        for (var keyResult : KeyResult.allOf(id)) {
            KeyResult.WORDS.put(IdKind.KEY_RESULT.require(keyResult.id()), keyResult.createdAt(), keyResult.title());
            outbox.created(EventType.KEY_RESULT_RESTORED, keyResult.id(), keyResult);
        }
        var contributions = DeletedAlignments.restoreOf(id, outbox);
        sql.write(FORGET_CHECK_INS, id);
        sql.write(FORGET, id);
        rollUp(contributions, now, outbox);
        return ObjectiveDetail.require(shown.id());
    }

    /** Its children may have changed or be missing. Its parents have it as a child again. */
    private void rollUp(List<AlignmentResponse> contributions, Instant now, Outbox outbox) {
        var rollUp = new RollUp(now, outbox);
        rollUp.from(Stream.concat(Stream.of(id), Contributions.parents(contributions).stream())
                .distinct()
                .toList());
        rollUp.write(CycleTotals.Change.added(id, IdKind.CYCLE.require(shown.cycleId()), shown.progress()));
    }

    private void requireCycleAndTeam() {
        var missing = new ArrayList<String>();
        if (!Cycle.exists(IdKind.CYCLE.require(shown.cycleId()))) {
            missing.add("cycle " + shown.cycleId());
        }
        if (shown.teamId() != null && !Team.exists(IdKind.TEAM.require(shown.teamId()))) {
            missing.add("team " + shown.teamId());
        }
        if (!missing.isEmpty()) {
            throw Failure.conflict("The objective cannot be restored, because its %s was deleted."
                    .formatted(String.join(" and its ", missing)));
        }
    }

    /** @param ofObjective the condition for the deleted rows of the objective */
    private void requireFreeExternalIds(IdKind kind, TenantTable<?> table, String ofObjective) {
        table.findTaken("deleted_" + table.name(), ofObjective, id).ifPresent(taken -> {
            throw TenantTable.taken(kind, taken.externalId(), taken.id());
        });
    }

    static boolean exists(UUID id) {
        return TenantSql.current()
                .first(
                        row -> true,
                        "SELECT 1 FROM deleted_objective d WHERE d.organization_id = :organization AND d.id = ?",
                        id)
                .isPresent();
    }

    /** Lists the objectives that were deleted in the last 30 days, last deleted first. */
    static Slice<DeletedObjectiveResponse> list(ListQuery query) {
        return NewestFirst.of(TABLE)
                .where(NOT_EXPIRED.formatted("e"), RETENTION.toSeconds())
                .slice(query);
    }
}
