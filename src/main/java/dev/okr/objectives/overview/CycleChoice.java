package dev.okr.objectives.overview;

import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A cycle that the reader of an overview can choose.
 *
 * @param finalProgress the progress when the cycle was closed; null while it is open
 */
public record CycleChoice(
        UUID id,
        String name,
        CycleStatus status,
        Instant startsAt,
        Instant endsAt,
        @Nullable Instant closedAt,
        @Nullable BigDecimal finalProgress) {
    /** The number of cycles to offer for each status. Other cycles are found by id. */
    static final int MAX_CYCLES_PER_STATUS = 8;

    private static final String COLUMNS = "id, name, status, starts_at, ends_at, closed_at, final_progress";

    private static final String NEAREST = """
            SELECT %s FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY status
                    ORDER BY CASE status WHEN 'active' THEN ends_at WHEN 'planned' THEN starts_at END, ends_at DESC, id
                ) AS place
                FROM cycle WHERE organization_id = ?) c
            WHERE place <= ? OR id = ?::uuid
            ORDER BY array_position(ARRAY ['active', 'planned', 'completed'], status), place
            """.formatted(COLUMNS);

    private static final String OFFERED = NEAREST.replace("organization_id = ?", "organization_id = :organization");

    private static final String ONE = "SELECT %s FROM cycle WHERE organization_id = ? AND id = ?".formatted(COLUMNS);

    /** The part of the cycle's time that has passed, from 0 to 1. */
    public double elapsed(Instant now) {
        var passed = Duration.between(startsAt, now);
        // A cycle can be shorter than a millisecond.
        return Math.clamp((double) passed.toMillis() / Math.max(1, length().toMillis()), 0, 1);
    }

    Duration length() {
        return Duration.between(startsAt, endsAt);
    }

    /** Whether its objectives can be scored. */
    public boolean takesScores() {
        return status == CycleStatus.COMPLETED && closedAt == null;
    }

    public boolean isClosed() {
        return closedAt != null;
    }

    /** The chosen cycle, and all cycles that the reader can choose. */
    public record Offer(CycleChoice chosen, List<CycleChoice> all) {}

    /**
     * The cycle that the reader has requested, or the default cycle.
     *
     * @param asked the public id of a cycle; null for the default
     * @return empty if the organisation has no cycles
     * @throws Failure if the organisation has no such cycle
     */
    public static Optional<Offer> offer(@Nullable String asked) {
        var id = asked == null ? null : IdKind.CYCLE.parse(asked).orElseThrow(() -> Failure.notFound("cycle"));
        var all = TenantSql.current().list(CycleChoice::read, OFFERED, MAX_CYCLES_PER_STATUS, id);
        if (id == null) {
            return all.stream().findFirst().map(first -> new Offer(first, all));
        }
        var chosen = all.stream()
                .filter(choice -> choice.id().equals(id))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("cycle"));
        return Optional.of(new Offer(chosen, all));
    }

    /**
     * The cycles to offer. The default cycle comes first. It is the active cycle that ends first. Without an active
     * cycle, it is the next planned cycle or else the last completed one.
     */
    static List<CycleChoice> nearest(Sql sql, UUID organizationId) throws SQLException {
        return nearest(sql, organizationId, null);
    }

    /** @param asked a cycle that is among the result, if the organisation has it; null for none */
    static List<CycleChoice> nearest(Sql sql, UUID organizationId, @Nullable UUID asked) throws SQLException {
        return sql.list(CycleChoice::read, NEAREST, organizationId, MAX_CYCLES_PER_STATUS, asked);
    }

    /** @throws Failure if the organisation has no such cycle */
    static CycleChoice require(Sql sql, UUID organizationId, String publicId) throws SQLException {
        var id = IdKind.CYCLE.parse(publicId).orElseThrow(() -> Failure.notFound("cycle"));
        return find(sql, organizationId, id).orElseThrow(() -> Failure.notFound("cycle"));
    }

    static Optional<CycleChoice> find(Sql sql, UUID organizationId, UUID id) throws SQLException {
        return sql.first(CycleChoice::read, ONE, organizationId, id);
    }

    /** Reads the cycle of an objective from the columns of {@link ObjectiveView}. */
    static CycleChoice ofObjective(ResultSet row) throws SQLException {
        return new CycleChoice(
                Sql.uuid(row, "cycle_id"),
                row.getString("cycle_name"),
                EnumNames.parse(CycleStatus.class, row.getString("cycle_status"))
                        .orElseThrow(),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"),
                Sql.instantOrNull(row, "closed_at"),
                row.getBigDecimal("final_progress"));
    }

    private static CycleChoice read(ResultSet row) throws SQLException {
        return new CycleChoice(
                Sql.uuid(row, "id"),
                row.getString("name"),
                EnumNames.parse(CycleStatus.class, row.getString("status")).orElseThrow(),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"),
                Sql.instantOrNull(row, "closed_at"),
                row.getBigDecimal("final_progress"));
    }
}
