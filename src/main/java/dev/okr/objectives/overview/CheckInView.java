package dev.okr.objectives.overview;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A check-in with the name of its author. */
public record CheckInView(
        UUID id,
        BigDecimal value,
        @Nullable String note,
        @Nullable Integer confidence,
        UUID authorId,
        String author,
        Instant recordedAt,
        Instant createdAt) {

    private static final String COLUMNS = """
            SELECT r.id, r.value, r.note, r.confidence, r.author_id, u.name AS author, r.created_at,
                coalesce(r.recorded_at, r.created_at) AS recorded_at, count(*) OVER () AS total
            FROM check_in r JOIN users u ON u.organization_id = :organization AND u.id = r.author_id
            WHERE r.organization_id = :organization AND r.key_result_id = ?""";

    private static final String LAST_RECORDED =
            COLUMNS + " ORDER BY coalesce(r.recorded_at, r.created_at) DESC LIMIT ? OFFSET ?";
    private static final String ONE = COLUMNS + " AND r.id = ?";

    private record Row(CheckInView checkIn, long total) {}

    /** The check-ins of a key result, last recorded first. */
    public static Slice<CheckInView> list(UUID keyResultId, int limit, long offset) {
        var rows = TenantSql.current()
                .list(row -> new Row(read(row), row.getLong("total")), LAST_RECORDED, keyResultId, limit, offset);
        long total = rows.isEmpty() ? 0 : rows.getFirst().total();
        return new Slice<>(rows.stream().map(Row::checkIn).toList(), total, null);
    }

    /** @throws Failure if the key result has no such check-in */
    public static CheckInView require(UUID keyResultId, String publicId) {
        return IdKind.CHECK_IN
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(CheckInView::read, ONE, keyResultId, id))
                .orElseThrow(() -> Failure.notFound("check-in"));
    }

    private static CheckInView read(ResultSet row) throws SQLException {
        return new CheckInView(
                Sql.uuid(row, "id"),
                row.getBigDecimal("value"),
                row.getString("note"),
                row.getObject("confidence", Integer.class),
                Sql.uuid(row, "author_id"),
                row.getString("author"),
                Sql.instant(row, "recorded_at"),
                Sql.instant(row, "created_at"));
    }
}
