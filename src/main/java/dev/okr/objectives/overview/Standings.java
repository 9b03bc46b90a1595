package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.progress.Progress;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The standing of a cycle's objectives, in total and for each team. The database counts them, because a cycle may have
 * very many objectives.
 *
 * @param teams the teams by name; objectives without a team come first
 * @param moreTeams the number of teams that {@code teams} leaves out
 */
record Standings(Standing whole, List<Team> teams, long moreTeams) {

    // Counting by team and status first takes half the time, because each row is added to two sums only.
    private static final String OF_CYCLE = """
            SELECT g.*, t.name, count(*) OVER () - 1 AS teams FROM (
                SELECT team_id, grouping(team_id) AS whole, sum(objectives) AS objectives, sum(progress) AS progress,
                    sum(objectives) FILTER (WHERE status = 'not_started') AS not_started,
                    sum(objectives) FILTER (WHERE status = 'on_track') AS on_track,
                    sum(objectives) FILTER (WHERE status = 'at_risk') AS at_risk,
                    sum(objectives) FILTER (WHERE status = 'behind') AS behind,
                    sum(objectives) FILTER (WHERE status = 'completed') AS completed
                FROM (
                    SELECT team_id, status, count(*) AS objectives, sum(progress) AS progress
                    FROM objective WHERE organization_id = ? AND cycle_id = ? GROUP BY team_id, status) s
                GROUP BY GROUPING SETS ((team_id), ())) g
            LEFT JOIN team t ON t.organization_id = ? AND t.id = g.team_id
            ORDER BY g.whole DESC, g.team_id IS NULL DESC, t.name, g.team_id
            LIMIT ?
            """;

    /** The standing of one team's objectives. Id and name are null for the objectives that have no team. */
    record Team(@Nullable UUID id, @Nullable String name, Standing standing) {}

    private record Row(Team team, long teams) {}

    static Standings of(Sql sql, UUID organizationId, UUID cycleId, int maxTeams) throws SQLException {
        var rows = sql.list(Standings::read, OF_CYCLE, organizationId, cycleId, organizationId, maxTeams + 1);
        // The empty grouping set returns a row even if the cycle has no objectives.
        var whole = rows.getFirst();
        var teams = rows.stream().skip(1).map(Row::team).toList();
        return new Standings(whole.team().standing(), teams, whole.teams() - teams.size());
    }

    private static Row read(ResultSet row) throws SQLException {
        long objectives = row.getLong("objectives");
        var sum = Objects.requireNonNullElse(row.getBigDecimal("progress"), BigDecimal.ZERO);
        var counts = new EnumMap<ObjectiveStatus, Long>(ObjectiveStatus.class);
        for (var status : ObjectiveStatus.values()) {
            counts.put(status, row.getLong(EnumNames.format(status)));
        }
        var standing = new Standing(objectives, Progress.mean(sum, objectives), counts);
        var team = new Team(row.getObject("team_id", UUID.class), row.getString("name"), standing);
        return new Row(team, row.getLong("teams"));
    }
}
