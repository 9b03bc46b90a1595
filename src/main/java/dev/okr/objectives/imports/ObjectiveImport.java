package dev.okr.objectives.imports;

import dev.okr.events.EventType;
import dev.okr.objectives.Alignment;
import dev.okr.objectives.AlignmentResponse;
import dev.okr.objectives.CheckIn;
import dev.okr.objectives.CheckInResponse;
import dev.okr.objectives.ContributionLock;
import dev.okr.objectives.ImportedProgress;
import dev.okr.objectives.KeyResult;
import dev.okr.objectives.KeyResultResponse;
import dev.okr.objectives.Objective;
import dev.okr.objectives.ObjectiveResponse;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.cycles.ImportedCycles;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.teams.ImportedTeams;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * Applies the staged lines of an import, in one transaction.
 *
 * <p>It takes the locks of {@code RollUp} in their order: the organisation, then the {@link ContributionLock}, then
 * objectives. Until the end, nobody else changes users, teams, cycles or alignments of the organisation, and no
 * progress rolls up. Objectives of the file are locked in its order, so another transaction that locks several
 * objectives can cause a deadlock. PostgreSQL then aborts one of the two transactions, which is retried.
 */
public final class ObjectiveImport {
    private static final String WITHOUT_WORD_TRIGGERS = "SET LOCAL okr.words = 'program'";

    /**
     * Search words are checked when they are written. Otherwise the commit would check all of them, and take too long.
     */
    private static final String CHECK_AT_ONCE = "SET CONSTRAINTS ALL IMMEDIATE";

    /**
     * PostgreSQL keeps the plans of foreign keys for a connection. If the tables were small then, these plans scan whole
     * tables, once for each row of the import.
     */
    private static final String PLAN_AGAIN = "DISCARD PLANS";

    private static final List<String> TABLES =
            List.of("objective", "objective_words", "key_result", "key_result_words", "check_in", "alignment", "event");

    private static final int MAX_ROWS_PER_CREATED = 100;
    private static final String HAS_FEWER_ROWS = "SELECT 1 FROM pg_class WHERE oid = ?::regclass AND reltuples < ?";

    private ObjectiveImport() {}

    /** Takes the locks. Must be called before any data of the organisation is read. */
    public static void lock() {
        TenantSql.current().lockOrganization();
        ContributionLock.lock();
    }

    /**
     * Collects the statistics of the tables after the commit of an import, as autovacuum would do within a minute. Until
     * then, the planner expects no rows of a new organisation, and its requests are slow. Omits tables that are large
     * compared to the import. The statistics of a table with millions of rows take a second of processor time.
     *
     * @param created the number of rows that the import has created
     */
    public static void analyze(Sql sql, long created) throws SQLException {
        for (var table : TABLES) {
            if (sql.first(row -> true, HAS_FEWER_ROWS, table, created * MAX_ROWS_PER_CREATED)
                    .isPresent()) {
                sql.update("ANALYZE (SKIP_LOCKED) " + table);
            }
        }
    }

    /** Checks all lines, and writes them if none has an error. */
    public static void apply(ImportSession session, PendingWrites writes) throws SQLException {
        var sql = session.sql();
        sql.update(WITHOUT_WORD_TRIGGERS);
        sql.update(CHECK_AT_ONCE);
        sql.update(PLAN_AGAIN);
        CycleTotals.begin(sql);
        var totals = new CycleTotals.Sums();
        ImportedUsers.apply(session);
        ImportedTeams.apply(session);
        var cycles = ImportedCycles.apply(session);
        ImportedObjectives.apply(session, totals);
        ImportedKeyResults.apply(session);
        ImportedCheckIns.apply(session);
        ImportedAlignments.apply(session);
        if (session.writes()) {
            writes.flush();
            ImportedValues.apply(session);
            writes.flush();
            ImportedProgress.apply(session, totals);
            totals.write();
            writes.flush();
            cycles.close();
            cycles.addEvents();
            addEvents(session);
            session.events().flush();
        }
    }

    /** Uses the final state of the rows, so each resource has one event. */
    private static void addEvents(ImportSession session) throws SQLException {
        addEvents(
                session,
                LineType.OBJECTIVE,
                Objective.table(),
                EventType.OBJECTIVE_CREATED,
                EventType.OBJECTIVE_UPDATED,
                ObjectiveResponse::id);
        addEvents(
                session,
                LineType.KEY_RESULT,
                KeyResult.TABLE,
                EventType.KEY_RESULT_CREATED,
                EventType.KEY_RESULT_UPDATED,
                KeyResultResponse::id);
        addEvents(
                session,
                LineType.CHECK_IN,
                CheckIn.TABLE,
                EventType.CHECK_IN_CREATED,
                EventType.CHECK_IN_UPDATED,
                CheckInResponse::id);
        addEvents(
                session,
                LineType.ALIGNMENT,
                Alignment.table(),
                EventType.ALIGNMENT_CREATED,
                EventType.ALIGNMENT_UPDATED,
                AlignmentResponse::id);
    }

    private static <T> void addEvents(
            ImportSession session,
            LineType type,
            TenantTable<T> table,
            EventType created,
            EventType updated,
            Function<T, String> publicId)
            throws SQLException {
        var read = "SELECT " + table.columns("e") + " FROM " + ImportedRows.withIds(table);
        session.staging().eachChange(type, changes -> {
            var rows = new HashMap<UUID, T>();
            TenantSql.current()
                    .listPlanned(
                            row -> rows.put(Sql.uuid(row, "id"), table.reader().read(row)),
                            read,
                            changes.stream().map(Changed::id).toList());
            for (var change : changes) {
                var row = rows.get(change.id());
                if (row != null && change.before() == null) {
                    session.events().created(created, publicId.apply(row), row);
                } else if (row != null && change.before() != null) {
                    session.events().updated(updated, publicId.apply(row), change.before(), row);
                }
            }
        });
    }
}
