package dev.okr.objectives;

import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Deletes the rows of deleted objectives that cannot be restored any more, in small batches. */
@ApplicationScoped
class DeletedObjectivePruner {
    private static final Logger LOG = Logger.getLogger(DeletedObjectivePruner.class);

    private static final int MAX_OBJECTIVES_PER_SEARCH = 500;
    private static final int MAX_CHECK_INS_PER_TRANSACTION = 1_000;

    /**
     * The extra day is for requests that began before the end of the retention. It is also for replicas of the previous
     * version, which use their own clocks.
     */
    private static final Duration AFTER = DeletedObjective.RETENTION.plusDays(1);

    private static final String FIND = """
            /* all organizations */
            SELECT organization_id, id FROM deleted_objective WHERE %s deleted_at < ? ORDER BY deleted_at LIMIT ?
            """;
    private static final String PRUNE_CHECK_INS = """
            DELETE FROM deleted_check_in WHERE organization_id = ? AND id = ANY (ARRAY (
                SELECT c.id FROM deleted_check_in c WHERE c.organization_id = ? AND c.key_result_id IN (
                    SELECT k.id FROM deleted_key_result k WHERE k.organization_id = ? AND k.objective_id = ?)
                LIMIT ?))
            """;
    private static final String PRUNE_ALIGNMENTS = """
            DELETE FROM deleted_alignment
            WHERE organization_id = ? AND (parent_objective_id = ? OR child_objective_id = ?)
            """;
    private static final String PRUNE_SET_VALUES = """
            DELETE FROM key_result_value WHERE organization_id = ? AND key_result_id IN (
                SELECT k.id FROM deleted_key_result k WHERE k.organization_id = ? AND k.objective_id = ?)
            """;
    private static final String PRUNE = "DELETE FROM deleted_objective WHERE organization_id = ? AND id = ?";

    private final AgroalDataSource database;
    private final OrganizationSearch search;
    private final DatabaseClock clock;

    DeletedObjectivePruner(AgroalDataSource database, OrganizationSearch search, DatabaseClock clock) {
        this.database = database;
        this.search = search;
        this.clock = clock;
    }

    private record Old(UUID organizationId, UUID id) {}

    @Scheduled(every = "{okr.deleted-objectives.prune-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void prune() {
        try {
            int pruned;
            do {
                pruned = 0;
                for (var objective : find()) {
                    pruned += search.visit(objective.organizationId, () -> prune(objective))
                            .orElse(0);
                }
            } while (pruned >= MAX_OBJECTIVES_PER_SEARCH);
        } catch (SQLException e) {
            LOG.warnf("Old deleted objectives were not pruned. The next run tries again: %s", SqlFailures.reason(e));
        }
    }

    private List<Old> find() throws SQLException {
        return search.run((sql, condition) -> sql.list(
                row -> new Old(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id")),
                FIND.formatted(condition),
                clock.now(sql).minus(AFTER),
                MAX_OBJECTIVES_PER_SEARCH));
    }

    /** Returns the number of objectives that were pruned. */
    private int prune(Old objective) throws SQLException {
        int pruned;
        do {
            pruned = Sql.transaction(database, sql -> pruneCheckIns(sql, objective));
        } while (pruned == MAX_CHECK_INS_PER_TRANSACTION);
        return Sql.transaction(database, sql -> prune(sql, objective));
    }

    private static int pruneCheckIns(Sql sql, Old objective) throws SQLException {
        return sql.update(
                PRUNE_CHECK_INS,
                objective.organizationId,
                objective.organizationId,
                objective.organizationId,
                objective.id,
                MAX_CHECK_INS_PER_TRANSACTION);
    }

    /** The foreign keys delete the key results and the last check-ins. */
    private static int prune(Sql sql, Old objective) throws SQLException {
        sql.update(PRUNE_ALIGNMENTS, objective.organizationId, objective.id, objective.id);
        sql.update(PRUNE_SET_VALUES, objective.organizationId, objective.organizationId, objective.id);
        return sql.update(PRUNE, objective.organizationId, objective.id);
    }
}
