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
    static final int MIN_OBJECTIVES_PER_TEAM = 3;

    /** A page with more is too large. With many teams, each team shows fewer. */
    private static final int MAX_OBJECTIVES = 60;

    private static final List<ObjectiveStatus> MOST_URGENT_FIRST = List.of(
            ObjectiveStatus.BEHIND,
            ObjectiveStatus.AT_RISK,
            ObjectiveStatus.NOT_STARTED,
            ObjectiveStatus.ON_TRACK,
            ObjectiveStatus.COMPLETED);

    private static final String MOST_URGENT = """
            SELECT o.team_id, o.id, o.title, o.progress, o.status, o.owner_id,
                array_position(?, o.status) AS urgency
            FROM objective o WHERE o.organization_id = ? AND o.cycle_id = ? AND %s
            ORDER BY urgency, o.progress, o.id LIMIT ?""";

    private static final String OF_TEAMS =
            """
            WITH urgent AS (
                SELECT of_team.* FROM unnest(?::uuid[]) AS wanted (id) CROSS JOIN LATERAL (%s) of_team
                UNION ALL (%s))
            SELECT urgent.*, u.name AS owner
            FROM urgent JOIN users u ON u.organization_id = ? AND u.id = urgent.owner_id
            ORDER BY urgent.urgency, urgent.progress, urgent.id
            """.formatted(MOST_URGENT.formatted("o.team_id = wanted.id"), MOST_URGENT.formatted("o.team_id IS NULL"));

    private Attention() {}

    private record Row(Optional<UUID> team, ObjectiveLine line) {}

    /** The most urgent objectives of these teams, most urgent first. Objectives without a team have an empty key. */
    static Map<Optional<UUID>, List<ObjectiveLine>> of(Sql sql, UUID organizationId, UUID cycleId, List<UUID> teams)
            throws SQLException {
        var urgency = MOST_URGENT_FIRST.stream().map(EnumNames::format).toList();
        int perTeam = Math.clamp(MAX_OBJECTIVES / (teams.size() + 1), MIN_OBJECTIVES_PER_TEAM, MAX_OBJECTIVES_PER_TEAM);
        return sql
                .list(
                        Attention::read,
                        OF_TEAMS,
                        teams,
                        urgency,
                        organizationId,
                        cycleId,
                        perTeam,
                        urgency,
                        organizationId,
                        cycleId,
                        perTeam,
                        organizationId)
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
