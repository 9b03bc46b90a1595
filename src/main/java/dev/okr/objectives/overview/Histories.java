package dev.okr.objectives.overview;

import dev.okr.access.limits.ConcurrencyLimit;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the progress of objectives, cycles and teams over time. */
@ApplicationScoped
public class Histories {
    /** The number of small histories that a replica reads at the same time. */
    private static final int MAX_AT_ONCE = 2;

    private static final int MAX_LARGE_AT_ONCE = 1;

    // Together less than the deadline of a request.
    private static final Duration MAX_WAIT = Duration.ofSeconds(3);
    private static final Duration MAX_WAIT_FOR_LARGE = Duration.ofSeconds(5);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final String OBJECTIVES = "SELECT o.id FROM objective o WHERE o.organization_id = ? AND";
    private static final String ONE = PastProgress.statement(OBJECTIVES + " o.id = ?");
    private static final String OF_CYCLE = PastProgress.statement(OBJECTIVES + " o.cycle_id = ?");
    private static final String OF_TEAM = PastProgress.statement(OBJECTIVES + " o.cycle_id = ? AND o.team_id = ?");

    private static final String CYCLE_OF =
            "SELECT o.cycle_id FROM objective o WHERE o.organization_id = ? AND o.id = ?";
    private static final String TEAM_EXISTS = "SELECT 1 FROM team t WHERE t.organization_id = ? AND t.id = ?";

    private final ConcurrencyLimit small = new ConcurrencyLimit(MAX_AT_ONCE, MAX_WAIT);

    /** Separate, so that small histories do not wait for large ones. */
    private final ConcurrencyLimit large = new ConcurrencyLimit(MAX_LARGE_AT_ONCE, MAX_WAIT_FOR_LARGE);

    private final DataSource database;

    Histories(DataSource database) {
        this.database = database;
    }

    /**
     * The subject of a history.
     *
     * @param cycle the cycle that the default times come from
     * @param objectives a statement that finds the objectives
     */
    private record Subject(CycleChoice cycle, String objectives, Object... parameters) {}

    /** Finds the subject of a history. Null if there is nothing to show. */
    @FunctionalInterface
    private interface Finder {
        @Nullable
        Subject find(Sql sql) throws SQLException;
    }

    /** @throws Failure if the organisation has no such objective */
    ProgressHistoryResponse ofObjective(UUID organizationId, String publicId, HistoryQuery query, Instant now) {
        return read(organizationId, query, now, sql -> {
            var id = IdKind.OBJECTIVE.parse(publicId).orElseThrow(() -> Failure.notFound("objective"));
            var cycleId = sql.first(row -> Sql.uuid(row, "cycle_id"), CYCLE_OF, organizationId, id)
                    .orElseThrow(() -> Failure.notFound("objective"));
            var cycle = CycleChoice.require(sql, organizationId, IdKind.CYCLE.format(cycleId));
            return new Subject(cycle, ONE, organizationId, id);
        });
    }

    /**
     * The progress of an objective over time, for a chart. Without it, the chart shows only the present progress.
     */
    public ProgressCurve curve(UUID organizationId, ObjectiveView objective, Instant now) {
        var cycle = objective.cycle();
        if (now.isBefore(cycle.startsAt())) {
            return new ProgressCurve(List.of(), 1, true);
        }
        var end = now.isBefore(cycle.endsAt()) ? now : cycle.endsAt();
        var present = new ProgressPoint(end, objective.progress());
        if (!small.begin(organizationId)) {
            return new ProgressCurve(List.of(present), 1, false);
        }
        try {
            var moments = ProgressCurve.moments(cycle, end);
            var past = Snapshot.read(
                    database,
                    sql -> read(sql, organizationId, moments, false, ONE, organizationId, objective.id())
                            .means());
            return ProgressCurve.of(moments, past, present, 1);
        } catch (PastProgress.LargeHistory tooLarge) {
            return new ProgressCurve(List.of(present), 1, false);
        } catch (SQLException e) {
            if (!SqlFailures.isTimeout(e)) {
                throw new IllegalStateException("The history could not be read.", e);
            }
            return new ProgressCurve(List.of(present), 1, false);
        } finally {
            small.end(organizationId);
        }
    }

    /** @throws Failure if the organisation has no such cycle */
    ProgressHistoryResponse ofCycle(UUID organizationId, String publicId, HistoryQuery query, Instant now) {
        return read(organizationId, query, now, sql -> {
            var cycle = CycleChoice.require(sql, organizationId, publicId);
            return new Subject(cycle, OF_CYCLE, organizationId, cycle.id());
        });
    }

    /**
     * The history of a team's objectives in a cycle.
     *
     * @param cycleId null for the default cycle, see {@link CycleChoice#nearest}
     * @throws Failure if the organisation has no such team
     */
    ProgressHistoryResponse ofTeam(
            UUID organizationId, String publicId, @Nullable UUID cycleId, HistoryQuery query, Instant now) {
        return read(organizationId, query, now, sql -> {
            var teamId = IdKind.TEAM.parse(publicId).orElseThrow(() -> Failure.notFound("team"));
            if (sql.first(row -> true, TEAM_EXISTS, organizationId, teamId).isEmpty()) {
                throw Failure.notFound("team");
            }
            var cycle = cycleId == null
                    ? CycleChoice.nearest(sql, organizationId).stream().findFirst()
                    : CycleChoice.find(sql, organizationId, cycleId);
            return cycle.isEmpty()
                    ? null
                    : new Subject(
                            cycle.get(), OF_TEAM, organizationId, cycle.get().id(), teamId);
        });
    }

    private static PastProgress read(
            Sql sql,
            UUID organizationId,
            List<Instant> moments,
            boolean mayBeLarge,
            String objectives,
            Object... parameters)
            throws SQLException {
        var past = new PastProgress(sql, organizationId, moments, mayBeLarge);
        past.addAll(objectives, PastProgress.parameters(organizationId, parameters));
        return past;
    }

    /** Most histories are small. A large one is begun again with the other permit, without a connection in between. */
    private ProgressHistoryResponse read(UUID organizationId, HistoryQuery query, Instant now, Finder finder) {
        try {
            return read(organizationId, query, now, false, small, finder);
        } catch (PastProgress.LargeHistory e) {
            return read(organizationId, query, now, true, large, finder);
        }
    }

    private ProgressHistoryResponse read(
            UUID organizationId,
            HistoryQuery query,
            Instant now,
            boolean mayBeLarge,
            ConcurrencyLimit permits,
            Finder finder) {
        if (!permits.begin(organizationId)) {
            throw Failure.unavailable("Too many histories are being read. Try again shortly.", RETRY_AFTER);
        }
        try {
            return Snapshot.read(database, sql -> {
                var subject = finder.find(sql);
                if (subject == null) {
                    return new ProgressHistoryResponse(query.none().interval(), List.of());
                }
                var moments = query.moments(subject.cycle.startsAt(), subject.cycle.endsAt(), now);
                return new ProgressHistoryResponse(
                        moments.interval(), points(sql, organizationId, subject, moments, mayBeLarge));
            });
        } catch (SQLException e) {
            throw new IllegalStateException("The history could not be read.", e);
        } finally {
            permits.end(organizationId);
        }
    }

    private static List<ProgressHistoryResponse.Point> points(
            Sql sql, UUID organizationId, Subject subject, HistoryQuery.Moments moments, boolean mayBeLarge)
            throws SQLException {
        var at = moments.at();
        var objectives = read(sql, organizationId, at, mayBeLarge, subject.objectives, subject.parameters);
        var past = objectives.means();
        var points = new ArrayList<ProgressHistoryResponse.Point>();
        for (int i = 0; i < at.size(); i++) {
            boolean isPresent = moments.endsAtPresent() && i == at.size() - 1;
            points.add(new ProgressHistoryResponse.Point(at.get(i), isPresent ? objectives.present() : past.get(i)));
        }
        return points;
    }
}
