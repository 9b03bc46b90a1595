package dev.okr.operations.demo;

import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.operations.demo.DemoContent.Alignment;
import dev.okr.operations.demo.DemoContent.KeyResult;
import dev.okr.operations.demo.DemoContent.Objective;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;
    private static final String INSERT_KEY_RESULT = """
            INSERT INTO key_result (organization_id, id, objective_id, owner_id, title, metric_type,
                start_value, current_value, target_value, progress, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;
    private static final String INSERT_CHECK_IN = """
            INSERT INTO check_in (organization_id, id, key_result_id, author_id, value, note, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """;
    private static final String INSERT_ALIGNMENT = """
            INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type, weight,
                created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, 1, ?, ?)
            """;
    private static final String ROLL_UP = """
            UPDATE objective o SET rolls_up = true, progress = coalesce((
                SELECT round(avg(i.progress), 4) FROM (
                    SELECT k.progress FROM key_result k WHERE k.organization_id = ? AND k.objective_id = o.id
                    UNION ALL
                    SELECT c.progress FROM alignment a
                    JOIN objective c ON c.organization_id = ? AND c.id = a.child_objective_id
                    WHERE a.organization_id = ? AND a.parent_objective_id = o.id
                        AND a.alignment_type = 'contributes_to') i), 0)
            WHERE o.organization_id = ? AND o.id = ?
            """;

    private final Sql sql;
    private final UUID organizationId;
    private final Map<String, UUID> people;
    private final Map<String, UUID> teams;
    private final Map<String, UUID> byTitle = new HashMap<>();
    private final List<UUID> cycles = new ArrayList<>();

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
        cycles.add(cycleId);
    }

    /** Call this last. No chain of contributing alignments in the demonstration is longer than one alignment. */
    void align(List<Alignment> alignments, Instant at) throws SQLException {
        for (var alignment : alignments) {
            var parent = Objects.requireNonNull(byTitle.get(alignment.parent()));
            var child = Objects.requireNonNull(byTitle.get(alignment.child()));
            var type = EnumNames.format(alignment.type());
            var id = DemoContent.id(IdKind.ALIGNMENT, alignment.id(), at);
            sql.update(INSERT_ALIGNMENT, organizationId, id, parent, child, type, at, at);
            if (alignment.type() == AlignmentType.CONTRIBUTES_TO) {
                rollUp(child);
                rollUp(parent);
            }
        }
        for (var cycle : cycles) {
            CycleTotals.countAll(sql, organizationId, cycle);
        }
    }

    private void rollUp(UUID objective) throws SQLException {
        sql.update(ROLL_UP, organizationId, organizationId, organizationId, organizationId, objective);
    }

    private void create(UUID cycleId, Instant createdAt, Instant until, Objective objective) throws SQLException {
        var id = DemoContent.id(IdKind.OBJECTIVE, objective.id(), createdAt);
        var owner = Objects.requireNonNull(people.get(objective.owner()));
        var updatedAt = createdAt;
        var keyResultAt = createdAt;
        for (var keyResult : objective.keyResults()) {
            keyResultAt = keyResultAt.plus(BETWEEN_KEY_RESULTS);
            var last = updatedAt(keyResult, keyResultAt, until);
            updatedAt = updatedAt.isBefore(last) ? last : updatedAt;
        }
        sql.update(
                INSERT_OBJECTIVE,
                organizationId,
                id,
                cycleId,
                objective.team() == null ? null : teams.get(objective.team()),
                owner,
                objective.title(),
                objective.description(),
                objective.progress(),
                EnumNames.format(objective.status()),
                createdAt,
                updatedAt);
        byTitle.put(objective.title(), id);
        keyResultAt = createdAt;
        for (var keyResult : objective.keyResults()) {
            keyResultAt = keyResultAt.plus(BETWEEN_KEY_RESULTS);
            create(id, owner, keyResultAt, until, keyResult);
        }
    }

    private void create(UUID objectiveId, UUID owner, Instant createdAt, Instant until, KeyResult keyResult)
            throws SQLException {
        var id = DemoContent.id(IdKind.KEY_RESULT, keyResult.id(), createdAt);
        sql.update(
                INSERT_KEY_RESULT,
                organizationId,
                id,
                objectiveId,
                owner,
                keyResult.title(),
                EnumNames.format(keyResult.metric()),
                keyResult.start(),
                keyResult.current(),
                keyResult.target(),
                keyResult.progress(),
                createdAt,
                updatedAt(keyResult, createdAt, until));
        for (int i = 0; i < keyResult.checkIns().size(); i++) {
            var at = moment(keyResult, i, createdAt, until);
            var checkIn = keyResult.checkIns().get(i);
            var checkInId = DemoContent.id(IdKind.CHECK_IN, checkIn.id(), at);
            sql.update(INSERT_CHECK_IN, organizationId, checkInId, id, owner, checkIn.value(), checkIn.note(), at, at);
        }
    }

    /** The time of the last check-in. Without check-ins, the time of creation. */
    private static Instant updatedAt(KeyResult keyResult, Instant createdAt, Instant until) {
        int checkIns = keyResult.checkIns().size();
        return checkIns == 0 ? createdAt : moment(keyResult, checkIns - 1, createdAt, until);
    }

    private static Instant moment(KeyResult keyResult, int checkIn, Instant from, Instant until) {
        var step = Duration.between(from, until).dividedBy(keyResult.checkIns().size() + 1L);
        return from.plus(step.multipliedBy(checkIn + 1L)).truncatedTo(ChronoUnit.SECONDS);
    }
}
