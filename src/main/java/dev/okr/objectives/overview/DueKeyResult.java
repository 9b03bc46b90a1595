package dev.okr.objectives.overview;

import dev.okr.objectives.CheckInWriter;
import dev.okr.objectives.MetricType;
import dev.okr.organizations.tenant.TenantSql;
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
 * A key result for which its owner should check in, with its last check-in. It is in an active cycle, has not reached
 * its target, and no check-in was recorded for {@link #DUE_AFTER}.
 *
 * @param closed whether its cycle is closed
 * @param last the last recorded check-in; null if there is none
 */
public record DueKeyResult(
        UUID id,
        String title,
        MetricType metric,
        BigDecimal start,
        BigDecimal current,
        BigDecimal target,
        BigDecimal progress,
        UUID objectiveId,
        String objective,
        boolean closed,
        @Nullable Last last) {
    public static final Duration DUE_AFTER = Duration.ofDays(7);

    /** The maximum on one page. The page shows the others when these are done. */
    public static final int MAX_SHOWN = 50;

    /** Far more than a person owns. Without this limit, the page could take seconds for the user of a program. */
    private static final int MAX_OWNED = 300;

    private static final String WITH_LAST = """
            SELECT k.id, k.title, k.metric_type, k.start_value, k.current_value, k.target_value, k.progress,
                o.id AS objective_id, o.title AS objective, c.closed_at IS NOT NULL AS closed,
                i.recorded_at, i.value, i.note, i.author_id
            FROM (
                SELECT id, objective_id, title, metric_type, start_value, current_value, target_value, progress,
                    created_at
                FROM key_result WHERE organization_id = :organization AND %s) k
            JOIN objective o ON o.organization_id = :organization AND o.id = k.objective_id
            JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            LEFT JOIN LATERAL (
                SELECT coalesce(e.recorded_at, e.created_at) AS recorded_at, e.value, e.note, e.author_id
                FROM check_in e WHERE e.organization_id = :organization AND e.key_result_id = k.id
                ORDER BY coalesce(e.recorded_at, e.created_at) DESC LIMIT 1) i ON true
            """;

    private static final String DUE =
            WITH_LAST.formatted("owner_id = ? ORDER BY created_at DESC, id DESC LIMIT " + MAX_OWNED)
                    + """
            WHERE k.progress < 1 AND o.status <> 'completed' AND c.status = 'active'
                AND (i.recorded_at IS NULL OR i.recorded_at < ?)
            ORDER BY c.ends_at, o.title, o.id, k.created_at, k.id LIMIT %d
            """.formatted(MAX_SHOWN);

    private static final String ONE = WITH_LAST.formatted("id = ?");

    /** The last recorded check-in. */
    public record Last(
            Instant recordedAt, BigDecimal value, @Nullable String note, UUID authorId) {}

    /** The key results of a user that are due, those of the same objective together. */
    public static List<DueKeyResult> list(UUID ownerId, Instant now) {
        return TenantSql.current().list(DueKeyResult::read, DUE, ownerId, now.minus(DUE_AFTER));
    }

    /** Finds any key result, even if it is not due. */
    public static Optional<DueKeyResult> find(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(DueKeyResult::read, ONE, id));
    }

    /** See {@link CheckInWriter}. */
    public String version() {
        return CheckInWriter.version(current, last == null ? null : last.recordedAt());
    }

    private static DueKeyResult read(ResultSet row) throws SQLException {
        var recordedAt = Sql.instantOrNull(row, "recorded_at");
        return new DueKeyResult(
                Sql.uuid(row, "id"),
                row.getString("title"),
                EnumNames.parse(MetricType.class, row.getString("metric_type")).orElseThrow(),
                row.getBigDecimal("start_value"),
                row.getBigDecimal("current_value"),
                row.getBigDecimal("target_value"),
                row.getBigDecimal("progress"),
                Sql.uuid(row, "objective_id"),
                row.getString("objective"),
                row.getBoolean("closed"),
                recordedAt == null
                        ? null
                        : new Last(
                                recordedAt,
                                row.getBigDecimal("value"),
                                row.getString("note"),
                                Sql.uuid(row, "author_id")));
    }
}
