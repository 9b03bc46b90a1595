package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** Finds the objectives of each team that need most attention, by status and then by progress. */
final class Attention {
    static final int MAX_OBJECTIVES_PER_TEAM = 20;

    private static final List<ObjectiveStatus> MOST_URGENT_FIRST = List.of(
            ObjectiveStatus.BEHIND,
            ObjectiveStatus.AT_RISK,
            ObjectiveStatus.NOT_STARTED,
            ObjectiveStatus.ON_TRACK,
            ObjectiveStatus.COMPLETED);

    // The ranking reads small columns only. Titles and names are read for the objectives that are shown.
    private static final String OF_TEAMS = """
            SELECT ranked.team_id, o.id, o.title, o.progress, o.status, u.name AS owner FROM (
                SELECT id, team_id, row_number() OVER (
                    PARTITION BY team_id ORDER BY array_position(?, status), progress, id) AS place
                FROM objective
                WHERE organization_id = ? AND cycle_id = ? AND (team_id IS NULL OR team_id = ANY (?::uuid[]))) ranked
            JOIN objective o ON o.organization_id = ? AND o.id = ranked.id
            JOIN users u ON u.organization_id = ? AND u.id = o.owner_id
            WHERE ranked.place <= ?
            ORDER BY ranked.team_id, ranked.place
            """;

    private Attention() {}

    private record Row(Optional<UUID> team, ObjectiveLine line) {}

    /** The most urgent objectives of these teams, most urgent first. Objectives without a team have an empty key. */
    static Map<Optional<UUID>, List<ObjectiveLine>> of(Sql sql, UUID organizationId, UUID cycleId, List<UUID> teams)
            throws SQLException {
        var urgency = MOST_URGENT_FIRST.stream().map(EnumNames::format).toList();
        return sql
                .list(
                        Attention::read,
                        OF_TEAMS,
                        urgency,
                        organizationId,
                        cycleId,
                        teams,
                        organizationId,
                        organizationId,
                        MAX_OBJECTIVES_PER_TEAM)
                .stream()
                .collect(Collectors.groupingBy(Row::team, Collectors.mapping(Row::line, Collectors.toList())));
    }

    private static Row read(ResultSet row) throws SQLException {
        var line = new ObjectiveLine(
                Sql.uuid(row, "id"),
                row.getString("title"),
                row.getString("owner"),
                row.getBigDecimal("progress"),
                EnumNames.parse(ObjectiveStatus.class, row.getString("status")).orElseThrow());
        return new Row(Optional.ofNullable(row.getObject("team_id", UUID.class)), line);
    }
}
