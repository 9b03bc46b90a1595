package dev.okr.objectives.overview;

import dev.okr.objectives.CheckInWriter;
import dev.okr.objectives.MetricType;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key result as the page of its objective shows it.
 *
 * @param last the last recorded check-in; null without check-ins
 * @param past the last recorded values, oldest first, at most {@link #MAX_VALUES}
 */
public record KeyResultView(
        UUID id,
        String title,
        MetricType metricType,
        BigDecimal startValue,
        BigDecimal currentValue,
        BigDecimal targetValue,
        BigDecimal progress,
        BigDecimal weight,
        String owner,
        @Nullable LastCheckIn last,
        List<PastValue> past) {

    /** More values would not be visible in a small curve. */
    static final int MAX_VALUES = 30;

    static final String COLUMNS = """
            k.id AS key_result_id, k.title AS key_result_title, k.metric_type, k.start_value, k.current_value,
                k.target_value, k.progress AS key_result_progress, k.weight, ku.name AS key_result_owner,
                l.value AS last_value, l.note AS last_note, l.confidence AS last_confidence, l.at AS last_at,
                lu.name AS last_author, s.past""";

    /** For the key result {@code k}. */
    static final String JOINS = """
            LEFT JOIN users ku ON ku.organization_id = :organization AND ku.id = k.owner_id
            LEFT JOIN LATERAL (
                SELECT r.value, r.note, r.confidence, r.author_id, coalesce(r.recorded_at, r.created_at) AS at
                FROM check_in r WHERE r.organization_id = :organization AND r.key_result_id = k.id
                ORDER BY coalesce(r.recorded_at, r.created_at) DESC LIMIT 1) l ON true
            LEFT JOIN users lu ON lu.organization_id = :organization AND lu.id = l.author_id
            LEFT JOIN LATERAL (
                SELECT json_agg(json_build_array(extract(epoch FROM v.at)::bigint, v.value::text) ORDER BY v.at) AS past
                FROM (
                    SELECT r.value, coalesce(r.recorded_at, r.created_at) AS at
                    FROM check_in r WHERE r.organization_id = :organization AND r.key_result_id = k.id
                    ORDER BY coalesce(r.recorded_at, r.created_at) DESC LIMIT %d) v) s ON true
            """.formatted(MAX_VALUES);

    /** A check-in with the name of its author. */
    public record LastCheckIn(
            BigDecimal value,
            @Nullable String note,
            @Nullable Integer confidence,
            Instant at,
            String author) {}

    public record PastValue(Instant at, BigDecimal value) {}

    /** See {@link CheckInWriter}. */
    public String version() {
        return CheckInWriter.version(currentValue, last == null ? null : last.at());
    }

    /** Empty for the only row of an objective without key results. */
    static Optional<KeyResultView> read(ResultSet row) throws SQLException {
        var id = Sql.uuid(row, "key_result_id");
        return id == null
                ? Optional.empty()
                : Optional.of(new KeyResultView(
                        id,
                        row.getString("key_result_title"),
                        EnumNames.parse(MetricType.class, row.getString("metric_type"))
                                .orElseThrow(),
                        row.getBigDecimal("start_value"),
                        row.getBigDecimal("current_value"),
                        row.getBigDecimal("target_value"),
                        row.getBigDecimal("key_result_progress"),
                        row.getBigDecimal("weight"),
                        row.getString("key_result_owner"),
                        readLast(row),
                        JsonRows.read(
                                row.getString("past"),
                                value -> new PastValue(
                                        Instant.ofEpochSecond(value.get(0).asLong()),
                                        new BigDecimal(value.get(1).asText())))));
    }

    private static @Nullable LastCheckIn readLast(ResultSet row) throws SQLException {
        var at = Sql.instantOrNull(row, "last_at");
        return at == null
                ? null
                : new LastCheckIn(
                        row.getBigDecimal("last_value"),
                        row.getString("last_note"),
                        row.getObject("last_confidence", Integer.class),
                        at,
                        row.getString("last_author"));
    }
}
