package dev.okr.operations.demo;

import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.progress.Progress;
import dev.okr.operations.demo.DemoContent.Alignment;
import dev.okr.operations.demo.DemoContent.KeyResult;
import dev.okr.operations.demo.DemoContent.Objective;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Creates the objectives of the demonstration. Progress matches the check-ins, as if the API had created them. */
final class DemoObjectives {
    private static final Duration BETWEEN_OBJECTIVES = Duration.ofMinutes(40);
    private static final Duration BETWEEN_KEY_RESULTS = Duration.ofMinutes(5);

    private static final String INSERT_OBJECTIVE = """
            INSERT INTO objective (organization_id, id, cycle_id, team_id, owner_id, title, description,
                progress, status, created_at, updated_at)
            SELECT ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?, ?, 0, ?, o.at, o.at
            FROM (SELECT ?::timestamptz AS at) o
            """;
    private static final String UPDATE_OBJECTIVE =
            "UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = ? AND id = ?";
    private static final String INSERT_KEY_RESULT = """
            INSERT INTO key_result (organization_id, id, objective_id, owner_id, title, metric_type,
                start_value, current_value, target_value, progress, created_at, updated_at)
            SELECT ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?, ?, k.start, k.start, ?::numeric, 0, k.at, k.at
            FROM (SELECT ?::numeric AS start, ?::timestamptz AS at) k
            """;
    private static final String UPDATE_KEY_RESULT = """
            UPDATE key_result SET current_value = ?, progress = ?, updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;
    private static final String INSERT_CHECK_IN = """
            INSERT INTO check_in (organization_id, id, key_result_id, author_id, value, note, created_at, updated_at)
            SELECT ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?::numeric, ?, c.at, c.at
            FROM (SELECT ?::timestamptz AS at) c
            """;
    private static final String INSERT_ALIGNMENT = """
            INSERT INTO alignment
                (organization_id, id, parent_objective_id, child_objective_id, alignment_type, created_at, updated_at)
            SELECT ?::uuid, ?::uuid, ?::uuid, ?::uuid, ?, a.at, a.at
            FROM (SELECT ?::timestamptz AS at) a
            """;

    private final Sql sql;
    private final UUID organizationId;
    private final Map<String, UUID> people;
    private final Map<String, UUID> teams;
    private final Map<String, UUID> byTitle = new HashMap<>();

    DemoObjectives(Sql sql, UUID organizationId, Map<String, UUID> people, Map<String, UUID> teams) {
        this.sql = sql;
        this.organizationId = organizationId;
        this.people = people;
        this.teams = teams;
    }

    /** Creates objectives, the first one at the given time, with check-ins evenly spread until the end. */
    void create(UUID cycleId, Instant from, Instant until, List<Objective> objectives) throws SQLException {
        var createdAt = from.truncatedTo(ChronoUnit.SECONDS);
        CycleTotals.begin(sql);
        for (var objective : objectives) {
            create(cycleId, createdAt, until, objective);
            createdAt = createdAt.plus(BETWEEN_OBJECTIVES);
        }
        CycleTotals.countAll(sql, organizationId, cycleId);
    }

    void align(List<Alignment> alignments, Instant at) throws SQLException {
        for (var alignment : alignments) {
            var parent = byTitle.get(alignment.parent());
            var child = byTitle.get(alignment.child());
            var type = EnumNames.format(alignment.type());
            sql.update(INSERT_ALIGNMENT, organizationId, UuidV7.at(at), parent, child, type, at);
        }
    }

    private void create(UUID cycleId, Instant createdAt, Instant until, Objective objective) throws SQLException {
        var id = UuidV7.at(createdAt);
        var owner = Objects.requireNonNull(people.get(objective.owner()));
        var team = objective.team() == null ? null : teams.get(objective.team());
        var status = EnumNames.format(objective.status());
        var text = objective.description();
        sql.update(
                INSERT_OBJECTIVE, organizationId, id, cycleId, team, owner, objective.title(), text, status, createdAt);
        byTitle.put(objective.title(), id);
        var progress = BigDecimal.ZERO;
        var updatedAt = createdAt;
        var keyResultAt = createdAt;
        for (var keyResult : objective.keyResults()) {
            keyResultAt = keyResultAt.plus(BETWEEN_KEY_RESULTS);
            create(id, owner, keyResultAt, until, keyResult);
            progress = progress.add(keyResult.progress());
            if (!keyResult.checkIns().isEmpty()) {
                var last = moment(keyResult, keyResult.checkIns().size() - 1, keyResultAt, until);
                updatedAt = updatedAt.isBefore(last) ? last : updatedAt;
            }
        }
        var mean = Progress.mean(progress, objective.keyResults().size());
        sql.update(UPDATE_OBJECTIVE, mean, updatedAt, organizationId, id);
    }

    private void create(UUID objectiveId, UUID owner, Instant createdAt, Instant until, KeyResult keyResult)
            throws SQLException {
        var id = UuidV7.at(createdAt);
        var metric = EnumNames.format(keyResult.metric());
        sql.update(
                INSERT_KEY_RESULT,
                organizationId,
                id,
                objectiveId,
                owner,
                keyResult.title(),
                metric,
                keyResult.target(),
                keyResult.start(),
                createdAt);
        var checkIns = keyResult.checkIns();
        for (int i = 0; i < checkIns.size(); i++) {
            var at = moment(keyResult, i, createdAt, until);
            var checkIn = checkIns.get(i);
            sql.update(INSERT_CHECK_IN, organizationId, UuidV7.at(at), id, owner, checkIn.value(), checkIn.note(), at);
            sql.update(UPDATE_KEY_RESULT, checkIn.value(), keyResult.progress(), at, organizationId, id);
        }
    }

    private static Instant moment(KeyResult keyResult, int checkIn, Instant from, Instant until) {
        var step = Duration.between(from, until).dividedBy(keyResult.checkIns().size() + 1L);
        return from.plus(step.multipliedBy(checkIn + 1L)).truncatedTo(ChronoUnit.SECONDS);
    }
}
