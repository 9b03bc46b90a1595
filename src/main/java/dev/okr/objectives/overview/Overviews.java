package dev.okr.objectives.overview;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.access.limits.ConcurrencyLimit;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Reads overviews of cycles. Each uses few statements, and the database cancels a statement that takes too long. */
@ApplicationScoped
public class Overviews {
    private static final Logger LOG = Logger.getLogger(Overviews.class);

    static final int MAX_TEAMS = 20;

    /** The limit for one replica, so that people who reload the page do not take connections from the API. */
    private static final int MAX_AT_ONCE = 2;

    private static final int MAX_HISTORIES_AT_ONCE = 2;

    private static final Duration MAX_WAIT = Duration.ofMillis(2_000);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final String EVERY_NTH = PastProgress.statement("""
            SELECT o.id FROM (
                SELECT id, row_number() OVER (ORDER BY created_at DESC, id DESC) AS place
                FROM objective WHERE organization_id = ? AND cycle_id = ?) o
            WHERE o.place % ? = 0""");

    /** Each row also has the number of stale key results, so that the page needs one statement less. */
    private static final String EVERY_NTH_AND_STALE = "SELECT found.*, (" + CycleSummary.COUNT_STALE
            + ") AS stale FROM (" + EVERY_NTH + ") found ORDER BY found.parent IS NULL";

    /** Reading the past of a larger cycle takes longer than people should wait for each page. */
    private static final long LARGE_OBJECTIVES = 500;

    private static final Duration PAST_KEPT = Duration.ofMinutes(1);
    private static final int MAX_PASTS = 1_000;

    private final ConcurrencyLimit overviews = new ConcurrencyLimit(MAX_AT_ONCE, MAX_WAIT);
    private final ConcurrencyLimit histories = new ConcurrencyLimit(MAX_HISTORIES_AT_ONCE, MAX_WAIT);
    private final DataSource database;

    /** The past of large cycles. It changes only when check-ins of the past or targets change. */
    private final Cache<UUID, Past> pasts = Caffeine.newBuilder()
            .expireAfterWrite(PAST_KEPT)
            .maximumSize(MAX_PASTS)
            .build();

    Overviews(DataSource database) {
        this.database = database;
    }

    /**
     * The overview of a cycle.
     *
     * @param cycle the public id of a cycle; null for the default cycle (see {@link CycleChoice#nearest})
     * @return empty if the organisation has no cycles
     * @throws Failure if the organisation has no such cycle, or too many overviews are read at once
     */
    public Optional<CycleOverview> read(UUID organizationId, @Nullable String cycle, Instant now) {
        try {
            var present = present(organizationId, cycle, now);
            return present.isEmpty() ? Optional.empty() : Optional.of(withHistory(present.get(), organizationId));
        } catch (SQLException e) {
            throw new IllegalStateException("The overview could not be read.", e);
        }
    }

    private Optional<CycleOverview> present(UUID organizationId, @Nullable String cycle, Instant now)
            throws SQLException {
        if (!overviews.begin(organizationId)) {
            throw Failure.unavailable("Too many overviews are being read. Try again shortly.", RETRY_AFTER);
        }
        try {
            return Snapshot.read(database, sql -> present(sql, organizationId, cycle, now));
        } finally {
            overviews.end(organizationId);
        }
    }

    private static Optional<CycleOverview> present(Sql sql, UUID organizationId, @Nullable String id, Instant now)
            throws SQLException {
        var asked = id == null ? null : IdKind.CYCLE.parse(id).orElseThrow(() -> Failure.notFound("cycle"));
        var choices = CycleChoice.nearest(sql, organizationId, asked);
        if (id == null && choices.isEmpty()) {
            return Optional.empty();
        }
        var cycle = choices.stream()
                .filter(choice -> asked == null || choice.id().equals(asked))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("cycle"));
        var standings = Standings.of(sql, organizationId, cycle.id(), MAX_TEAMS);
        return Optional.of(new CycleOverview(
                now,
                id != null,
                cycle,
                choices,
                standings.whole(),
                teams(sql, organizationId, cycle.id(), standings.teams()),
                standings.moreTeams(),
                0,
                new ProgressCurve(List.of(), 1, false)));
    }

    private static List<TeamOverview> teams(Sql sql, UUID organizationId, UUID cycleId, List<Standings.Team> teams)
            throws SQLException {
        var ids = teams.stream()
                .map(Standings.Team::id)
                .flatMap(Stream::ofNullable)
                .toList();
        var lines = Attention.of(sql, organizationId, cycleId, ids);
        return teams.stream()
                .map(team -> new TeamOverview(
                        team.id(),
                        team.name(),
                        team.standing(),
                        lines.getOrDefault(Optional.ofNullable(team.id()), List.of())))
                .toList();
    }

    /** Adds the progress of the past, with the present progress at its end. */
    private CycleOverview withHistory(CycleOverview present, UUID organizationId) throws SQLException {
        var cycle = present.cycle();
        if (present.at().isBefore(cycle.startsAt())) {
            return present;
        }
        var end = present.at().isBefore(cycle.endsAt()) ? present.at() : cycle.endsAt();
        var now = new ProgressPoint(end, present.standing().progress());
        long everyNth = ProgressCurve.everyNth(present.standing().objectives());
        boolean isLarge = present.standing().objectives() > LARGE_OBJECTIVES;
        var kept = isLarge ? pasts.getIfPresent(cycle.id()) : null;
        var past = kept == null ? past(organizationId, cycle, everyNth, end, present.at()) : Optional.of(kept);
        if (isLarge && kept == null) {
            past.ifPresent(read -> pasts.put(cycle.id(), read));
        }
        if (past.isEmpty()) {
            LOG.warnf(
                    "The overview of cycle %s has no history, because it is too large or reading it took too long",
                    cycle.id());
            return present.with(0, new ProgressCurve(List.of(now), everyNth, false));
        }
        return present.with(
                past.get().staleKeyResults, ProgressCurve.of(past.get().moments, past.get().progress, now, everyNth));
    }

    /** The values that need key results and check-ins, of which a cycle can have very many. */
    private record Past(List<Instant> moments, List<BigDecimal> progress, long staleKeyResults) {}

    /** The progress before a given time. Empty if it could not be read in time. */
    private Optional<Past> past(UUID organizationId, CycleChoice cycle, long everyNth, Instant end, Instant now)
            throws SQLException {
        if (!histories.begin(organizationId)) {
            return Optional.empty();
        }
        try {
            var moments = ProgressCurve.moments(cycle, end);
            // This is a separate transaction, so that a timeout does not fail the rest of the page.
            return Optional.of(Snapshot.read(database, sql -> {
                var parameters = Stream.concat(
                        Stream.of(CycleSummary.staleParameters(organizationId, cycle.id(), now)),
                        Stream.of(PastProgress.parameters(organizationId, organizationId, cycle.id(), everyNth)));
                var progress = new PastProgress(sql, organizationId, moments, false);
                var stale = new AtomicLong();
                progress.addAll(row -> stale.set(row.getLong("stale")), EVERY_NTH_AND_STALE, parameters.toArray());
                return new Past(moments, progress.means(), stale.get());
            }));
        } catch (PastProgress.LargeHistory tooLarge) {
            return Optional.empty();
        } catch (SQLException e) {
            if (!SqlFailures.isTimeout(e)) {
                throw e;
            }
            return Optional.empty();
        } finally {
            histories.end(organizationId);
        }
    }
}
