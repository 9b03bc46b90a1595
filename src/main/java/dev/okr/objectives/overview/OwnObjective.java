package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.progress.Pace;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** An objective in an active cycle, for its owner. */
public record OwnObjective(
        UUID id,
        String title,
        ObjectiveStatus status,
        BigDecimal progress,
        String cycle,
        Instant startsAt,
        Instant endsAt) {
    public static final int MAX_SHOWN = 50;

    /** Far more than a person owns. */
    private static final int MAX_OWNED = 300;

    private static final String OF_OWNER = """
            SELECT o.id, o.title, o.status, o.progress, c.name AS cycle, c.starts_at, c.ends_at
            FROM (
                SELECT id, title, status, progress, cycle_id FROM objective
                WHERE organization_id = :organization AND owner_id = ?
                ORDER BY created_at DESC, id DESC LIMIT %d) o
            JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            WHERE c.status = 'active' ORDER BY c.ends_at, o.title, o.id LIMIT %d
            """.formatted(MAX_OWNED, MAX_SHOWN);

    /** The objectives of a user. Those in the cycle that ends first come first. */
    public static List<OwnObjective> list(UUID ownerId) {
        return TenantSql.current().list(OwnObjective::read, OF_OWNER, ownerId);
    }

    /** The progress that is expected at a time. */
    public BigDecimal expected(Instant now) {
        return Pace.expected(startsAt, endsAt, now);
    }

    private static OwnObjective read(ResultSet row) throws SQLException {
        return new OwnObjective(
                Sql.uuid(row, "id"),
                row.getString("title"),
                EnumNames.parse(ObjectiveStatus.class, row.getString("status")).orElseThrow(),
                row.getBigDecimal("progress"),
                row.getString("cycle"),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"));
    }
}
