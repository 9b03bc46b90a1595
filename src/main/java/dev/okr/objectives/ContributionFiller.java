package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jboss.logging.Logger;

/**
 * Includes contributing alignments of an earlier version in the progress. It also corrects progress that an earlier
 * version did not roll up during an upgrade. Each transaction is small and leaves exact progress. A later version
 * deletes this class.
 */
@ApplicationScoped
class ContributionFiller {
    private static final Logger LOG = Logger.getLogger(ContributionFiller.class);

    private static final int MAX_ORGANIZATIONS_PER_PAGE = 100;
    private static final int MAX_ALIGNMENTS_PER_TRANSACTION = 100;
    private static final int MAX_OBJECTIVES_PER_PAGE = 200;

    private static final String FIND_WITHOUT_WEIGHT = """
            /* all organizations */
            SELECT DISTINCT organization_id FROM alignment
            WHERE %s organization_id > ? AND weight IS NULL AND alignment_type = 'contributes_to'
            ORDER BY organization_id LIMIT ?
            """;
    private static final String FIND_ROLLING_UP = """
            /* all organizations */
            SELECT DISTINCT organization_id FROM objective
            WHERE %s organization_id > ? AND rolls_up ORDER BY organization_id LIMIT ?
            """;

    private static final String WITHOUT_WEIGHT = """
            SELECT %s FROM alignment a
            WHERE a.organization_id = :organization AND a.alignment_type = 'contributes_to' AND a.weight IS NULL
            ORDER BY a.id LIMIT ?
            """.formatted(Alignment.TABLE.columns("a"));

    private static final String ROLLING_UP = """
            SELECT o.id, o.progress FROM objective o
            WHERE o.organization_id = :organization AND o.rolls_up AND %s AND o.id > ? ORDER BY o.id LIMIT ?
            """.formatted(ClosedCycle.IS_OPEN);

    private final OrganizationSearch search;
    private final CurrentTenant tenant;
    private final Outbox outbox;
    private final UtcClock clock;

    ContributionFiller(OrganizationSearch search, CurrentTenant tenant, Outbox outbox, UtcClock clock) {
        this.search = search;
        this.tenant = tenant;
        this.outbox = outbox;
        this.clock = clock;
    }

    @Scheduled(every = "{okr.progress.fill-every}", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void fill() {
        visitAll(FIND_WITHOUT_WEIGHT, this::fill);
    }

    @Scheduled(
            every = "{okr.progress.correct-every}",
            delayed = "1m",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void correct() {
        visitAll(FIND_ROLLING_UP, this::correct);
    }

    /** The work for one organisation. Returns the number of changes. */
    @FunctionalInterface
    private interface Work {
        int run(UUID organization) throws Exception;
    }

    private void visitAll(String find, Work work) {
        try {
            var next = Optional.of(OrganizationSearch.FIRST);
            while (next.isPresent()) {
                var last = next.get();
                var page = search.page(
                        (sql, condition) -> sql.list(
                                row -> Sql.uuid(row, "organization_id"),
                                find.formatted(condition),
                                last,
                                MAX_ORGANIZATIONS_PER_PAGE),
                        MAX_ORGANIZATIONS_PER_PAGE,
                        Optional::of);
                for (var organization : page.rows()) {
                    search.visit(organization, () -> visit(organization, work));
                }
                next = page.last();
            }
        } catch (SQLException e) {
            LOG.warnf("Could not roll up progress. The next run tries again. Reason: %s", SqlFailures.reason(e));
        }
    }

    private int visit(UUID organization, Work work) throws SQLException {
        // The scheduler has activated the request context of this run.
        tenant.bind(organization);
        try {
            return work.run(organization);
        } catch (RuntimeException | SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Progress was not rolled up.", e);
        }
    }

    private int fill(UUID organization) throws Exception {
        int total = 0;
        int filled;
        do {
            filled = locked(() -> fillBatch(organization));
            total += filled;
        } while (filled == MAX_ALIGNMENTS_PER_TRANSACTION);
        return total;
    }

    private int fillBatch(UUID organization) {
        var alignments =
                TenantSql.current().list(Alignment.TABLE.reader(), WITHOUT_WEIGHT, MAX_ALIGNMENTS_PER_TRANSACTION);
        Contributions.lock(alignments);
        Contributions.begin(alignments);
        rollUp(organization, Contributions.parents(alignments));
        return alignments.size();
    }

    /** Searches without locks, so a concurrent change can look wrong. The roll-up checks again under the lock. */
    private int correct(UUID organization) throws Exception {
        int corrected = 0;
        var last = Optional.of(OrganizationSearch.FIRST);
        while (last.isPresent()) {
            var objectives = TenantSql.current()
                    .listPlanned(RollUp.Stored::read, ROLLING_UP, last.get(), MAX_OBJECTIVES_PER_PAGE);
            var wrong = RollUp.wrong(objectives);
            if (!wrong.isEmpty()) {
                corrected += locked(() -> rollUp(organization, wrong));
            }
            last = objectives.size() < MAX_OBJECTIVES_PER_PAGE
                    ? Optional.empty()
                    : Optional.of(objectives.getLast().id());
        }
        if (corrected > 0) {
            LOG.infof("Corrected the progress of %d objectives of organisation %s", corrected, organization);
        }
        return corrected;
    }

    private int rollUp(UUID organization, List<UUID> objectives) {
        var rollUp = new RollUp(
                clock.now(),
                (before, after) ->
                        outbox.updated(organization, EventType.OBJECTIVE_UPDATED, before.id(), before, after));
        rollUp.from(objectives);
        return rollUp.write();
    }

    private static int locked(Callable<Integer> work) throws Exception {
        return RetriedTransactionInterceptor.inRetriedTransaction(() -> {
            ContributionLock.lock();
            return work.call();
        });
    }
}
