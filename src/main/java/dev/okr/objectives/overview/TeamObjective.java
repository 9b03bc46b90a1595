package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** An objective in the list of a team, with its cycle. */
public record TeamObjective(
        UUID id,
        String title,
        UUID ownerId,
        ObjectiveStatus status,
        BigDecimal progress,
        String cycle,
        Instant startsAt,
        Instant endsAt) {

    private static final String NEWEST = """
            SELECT o.id, o.title, o.owner_id, o.status, o.progress, c.name AS cycle, c.starts_at, c.ends_at
            FROM objective o JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            WHERE o.organization_id = :organization AND o.team_id = ?
            ORDER BY o.created_at DESC, o.id DESC LIMIT %d OFFSET ?
            """;

    /** The objectives of a team, newest first. */
    public static List<TeamObjective> list(UUID teamId, long offset, int limit) {
        return TenantSql.current().list(TeamObjective::read, NEWEST.formatted(limit), teamId, offset);
    }

    private static TeamObjective read(ResultSet row) throws SQLException {
        return new TeamObjective(
                Sql.uuid(row, "id"),
                row.getString("title"),
                Sql.uuid(row, "owner_id"),
                EnumNames.parse(ObjectiveStatus.class, row.getString("status")).orElseThrow(),
                row.getBigDecimal("progress"),
                row.getString("cycle"),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"));
    }
}
