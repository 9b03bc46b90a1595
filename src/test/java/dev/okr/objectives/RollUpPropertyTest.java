package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random changes by several clients at once. Whenever all are done, the stored progress of every objective and cycle
 * must equal a calculation from scratch.
 */
@QuarkusTest
@Tag("long")
class RollUpPropertyTest extends HttpTest {
    private static final int CHANGES = Integer.getInteger("okr.test.changes", 10_000);
    private static final int CLIENTS = 8;
    private static final int CHANGES_BETWEEN_CHECKS = 500;
    private static final int OBJECTIVES = 30;
    private static final int MAX_MINUTES = 10;

    private final List<String> cycles = new ArrayList<>();
    private final List<String> objectives = new CopyOnWriteArrayList<>();
    private final List<String> deleted = new CopyOnWriteArrayList<>();
    private final List<String> keyResults = new CopyOnWriteArrayList<>();
    private final List<String> alignments = new CopyOnWriteArrayList<>();
    private final List<String> checkIns = new CopyOnWriteArrayList<>();
    /** The objectives of the closed cycle before a round that does not reopen it. */
    private Set<Stored> frozen = Set.of();

    private volatile boolean staysClosed;
    private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();

    @Test
    @Timeout(value = MAX_MINUTES, unit = TimeUnit.MINUTES)
    void the_progress_is_right_after_any_changes_at_the_same_time() throws Exception {
        // The second cycle is closed and reopened.
        cycles.addAll(List.of(newCycle(), newCompletedCycle()));
        for (int i = 0; i < OBJECTIVES; i++) {
            objectives.add(newObjective(cycles.get(i % 2)));
            keyResults.add(newKeyResult(objectives.get(i), 0, 10));
        }
        double before = deadlocks();
        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int round = 0; round * CHANGES_BETWEEN_CHECKS < CHANGES; round++) {
                staysClosed = round % 4 == 3;
                if (staysClosed) {
                    admin.post("/v1/cycles/" + cycles.get(1) + "/close", null).is(200);
                    frozen = frozen(stored());
                }
                int seed = round * CLIENTS;
                var tasks = IntStream.range(0, CLIENTS)
                        .<Callable<Void>>mapToObj(client -> () -> change(new Random(seed + client)))
                        .toList();
                for (var task : clients.invokeAll(tasks)) {
                    task.get();
                }
                requireExact(round);
                requireExplained();
            }
        }
        assertThat(deadlocks()).isEqualTo(before);
        // Most changes succeed. Some meet what another client has deleted, a loop or a limit.
        assertThat(statuses.getOrDefault(200, 0) + statuses.getOrDefault(201, 0))
                .as(statuses::toString)
                .isGreaterThan(CHANGES / 2);
        // On a busy machine, a few requests wait too long for a lock.
        assertThat(statuses.getOrDefault(503, 0)).as(statuses::toString).isLessThan(CHANGES / 100);
    }

    private Void change(Random random) {
        for (int i = 0; i < CHANGES_BETWEEN_CHECKS / CLIENTS; i++) {
            int kind = random.nextInt(100);
            var answer = change(random, kind);
            statuses.merge(answer.status(), 1, Integer::sum);
            assertThat(answer.status()).as(() -> kind + ": " + answer).isIn(200, 201, 404, 409, 422, 503);
            if (answer.status() == 409) {
                assertThat(answer.json().get("code").textValue()).isIn("conflict", "cycle_closed");
            }
        }
        return null;
    }

    private Answer change(Random random, int kind) {
        if (kind < 34) {
            return checkIn(random);
        }
        if (kind < 42) {
            return batch(random);
        }
        if (kind < 58) {
            return changeKeyResult(random, kind);
        }
        if (kind < 64) {
            return changeCheckIn(random, kind);
        }
        if (kind < 88) {
            return align(random, kind);
        }
        return kind < 98 ? changeObjective(random, kind) : closeOrReopen(random);
    }

    private Answer closeOrReopen(Random random) {
        var verb = staysClosed || random.nextInt(4) == 0 ? "/close" : "/reopen";
        return admin.post("/v1/cycles/" + cycles.get(1) + verb, null);
    }

    private Answer checkIn(Random random) {
        var keyResult = any(keyResults, random);
        var answer = admin.post(Paths.checkIns(keyResult), object("value", random.nextInt(-2, 13)));
        if (answer.status() == 201) {
            checkIns.add(Paths.checkIn(keyResult, answer.id()));
        }
        return forget(keyResults, keyResult, answer);
    }

    private Answer batch(Random random) {
        var items = IntStream.range(0, random.nextInt(1, 6))
                .mapToObj(i -> object("key_result_id", any(keyResults, random), "value", random.nextInt(11)))
                .toList();
        return admin.post("/v1/check-ins/batch", object("check_ins", items));
    }

    private Answer changeKeyResult(Random random, int kind) {
        var keyResult = any(keyResults, random);
        var path = "/v1/key-results/" + keyResult;
        return switch (kind % 8) {
            case 0 -> {
                var body = Requests.keyResult(random.nextInt(3), random.nextInt(5, 12));
                body.put("weight", weight(random));
                var answer = admin.post(Paths.keyResults(any(objectives, random)), body);
                yield added(keyResults, answer);
            }
            case 1 ->
                keyResults.size() < OBJECTIVES
                        ? admin.put(path, object("current_value", random.nextInt(11)))
                        : forget(keyResults, keyResult, admin.delete(path), 200);
            case 2, 3, 4 -> admin.put(path, object("weight", weight(random)));
            case 5 -> admin.put(path, object("target_value", random.nextInt(5, 20)));
            default -> admin.put(path, object("current_value", random.nextInt(11), "weight", weight(random)));
        };
    }

    private Answer changeCheckIn(Random random, int kind) {
        if (checkIns.isEmpty()) {
            return checkIn(random);
        }
        var path = any(checkIns, random);
        return kind % 2 == 0
                ? admin.put(path, object("value", random.nextInt(11)))
                : forget(checkIns, path, admin.delete(path), 200);
    }

    private Answer align(Random random, int kind) {
        if (alignments.size() < OBJECTIVES || kind % 8 < 2) {
            var body = Requests.alignment(any(objectives, random), any(objectives, random));
            body.put("alignment_type", random.nextInt(5) == 0 ? "supports" : "contributes_to");
            body.put("weight", weight(random));
            return added(alignments, admin.post("/v1/alignments", body));
        }
        var alignment = any(alignments, random);
        var path = "/v1/alignments/" + alignment;
        return kind % 8 < 5
                ? forget(alignments, alignment, admin.put(path, object("weight", weight(random))))
                : forget(alignments, alignment, admin.delete(path), 200);
    }

    private Answer changeObjective(Random random, int kind) {
        if (!deleted.isEmpty() && kind % 4 == 0) {
            var objective = any(deleted, random);
            var answer = admin.post("/v1/deleted-objectives/" + objective + "/restore", null);
            deleted.remove(objective);
            return added(objectives, answer);
        }
        var objective = any(objectives, random);
        if (kind % 4 == 1 && objectives.size() > OBJECTIVES / 2) {
            var answer = admin.delete(Paths.objective(objective));
            if (answer.status() == 200) {
                deleted.add(objective);
            }
            return forget(objectives, objective, answer, 200);
        }
        if (kind % 4 == 2 && objectives.size() < OBJECTIVES) {
            return added(objectives, admin.post("/v1/objectives", Requests.objective(any(cycles, random))));
        }
        return admin.put(Paths.objective(objective), object("cycle_id", any(cycles, random)));
    }

    private static BigDecimal weight(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> BigDecimal.ZERO;
            case 1 -> BigDecimal.ONE;
            case 2 -> BigDecimal.valueOf(random.nextInt(1, 1_000_001), 3);
            default -> BigDecimal.valueOf(random.nextInt(1, 30), 1);
        };
    }

    private static String any(List<String> list, Random random) {
        // Another client may shorten the list meanwhile.
        var copy = List.copyOf(list);
        return copy.get(random.nextInt(copy.size()));
    }

    private static Answer added(List<String> list, Answer answer) {
        if (answer.status() == 201) {
            list.add(answer.id());
        }
        return answer;
    }

    private static Answer forget(List<String> list, String id, Answer answer, Integer... further) {
        if (answer.status() == 404 || List.of(further).contains(answer.status())) {
            list.remove(id);
        }
        return answer;
    }

    private record Stored(
            UUID id,
            UUID cycle,
            BigDecimal progress,
            @Nullable Instant closedAt) {}

    private record Part(UUID of, UUID child, BigDecimal weight, BigDecimal progress) {}

    /**
     * Calculates everything again, from the values of the key results on. In a closed cycle, the progress must be the
     * one of the last check instead.
     */
    private void requireExact(int round) throws SQLException {
        var stored = stored();
        var parts = new HashMap<UUID, List<Part>>();
        read(
                "SELECT objective_id, weight, start_value, current_value, target_value, progress FROM key_result"
                        + " WHERE organization_id = ?",
                row -> {
                    var progress = row.getBigDecimal(4)
                            .subtract(row.getBigDecimal(3))
                            .divide(row.getBigDecimal(5).subtract(row.getBigDecimal(3)), 4, RoundingMode.HALF_UP)
                            .max(BigDecimal.ZERO)
                            .min(BigDecimal.ONE);
                    assertThat(row.getBigDecimal(6)).isEqualByComparingTo(progress);
                    var of = row.getObject(1, UUID.class);
                    parts.computeIfAbsent(of, key -> new ArrayList<>())
                            .add(new Part(of, null, row.getBigDecimal(2), progress));
                });
        read(
                "SELECT parent_objective_id, child_objective_id, weight FROM alignment"
                        + " WHERE alignment_type = 'contributes_to' AND organization_id = ?",
                row -> {
                    var of = row.getObject(1, UUID.class);
                    parts.computeIfAbsent(of, key -> new ArrayList<>())
                            .add(new Part(of, row.getObject(2, UUID.class), row.getBigDecimal(3), null));
                });
        var calculated = new HashMap<UUID, BigDecimal>();
        for (var each : stored) {
            if (each.closedAt != null) {
                calculated.put(each.id, each.progress);
            }
        }
        if (staysClosed) {
            assertThat(frozen(stored)).isEqualTo(frozen);
        }
        var ofCycles = new HashMap<UUID, List<BigDecimal>>();
        for (var each : stored) {
            var progress = progress(each.id, parts, calculated);
            assertThat(each.progress)
                    .as(() -> "round " + round + ", " + IdKind.OBJECTIVE.format(each.id))
                    .isEqualByComparingTo(progress);
            ofCycles.computeIfAbsent(each.cycle, cycle -> new ArrayList<>()).add(progress);
        }
        for (var cycle : cycles) {
            var all = ofCycles.getOrDefault(IdKind.CYCLE.require(cycle), List.of());
            var sum = all.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
            var mean = all.isEmpty()
                    ? BigDecimal.ZERO
                    : sum.divide(BigDecimal.valueOf(all.size()), 4, RoundingMode.HALF_UP);
            var shown = viewer.get("/v1/cycles/" + cycle).is(200);
            assertThat(shown.number("objectives_count").intValue()).isEqualTo(all.size());
            assertThat(shown.number("overall_progress")).isEqualByComparingTo(mean);
            if (shown.data().has("final_progress")) {
                assertThat(shown.number("final_progress")).isEqualByComparingTo(mean);
            }
        }
    }

    private List<Stored> stored() throws SQLException {
        var stored = new ArrayList<Stored>();
        read(
                "SELECT o.id, o.cycle_id, o.progress, c.closed_at FROM objective o JOIN cycle c"
                        + " ON c.organization_id = o.organization_id AND c.id = o.cycle_id WHERE o.organization_id = ?",
                row -> stored.add(new Stored(
                        row.getObject(1, UUID.class),
                        row.getObject(2, UUID.class),
                        row.getBigDecimal(3),
                        row.getTimestamp(4) == null ? null : row.getTimestamp(4).toInstant())));
        return stored;
    }

    private static Set<Stored> frozen(List<Stored> stored) {
        return stored.stream().filter(each -> each.closedAt != null).collect(Collectors.toSet());
    }

    private static BigDecimal progress(UUID objective, Map<UUID, List<Part>> parts, Map<UUID, BigDecimal> calculated) {
        var known = calculated.get(objective);
        if (known != null) {
            return known;
        }
        var sum = BigDecimal.ZERO;
        var weights = BigDecimal.ZERO;
        for (var part : parts.getOrDefault(objective, List.of())) {
            var progress = part.child == null ? part.progress : progress(part.child, parts, calculated);
            sum = sum.add(part.weight.multiply(progress));
            weights = weights.add(part.weight);
        }
        var mean = weights.signum() == 0 ? BigDecimal.ZERO : sum.divide(weights, 4, RoundingMode.HALF_UP);
        calculated.put(objective, mean);
        return mean;
    }

    /**
     * In cycles that are not closed, the points of an explanation add up to the progress. Each of them is rounded. A
     * history that ends before the present calculates the same progress from the values of the key results.
     */
    private void requireExplained() throws SQLException {
        var past = "/progress-history?interval=month&from=2026-01-01T00:00:00Z&to=" + Instant.now();
        for (var each : stored()) {
            if (each.closedAt == null) {
                var path = Paths.objective(IdKind.OBJECTIVE.format(each.id));
                var explained = viewer.get(path + "/progress").is(200);
                assertThat(explained.number("progress")).isEqualByComparingTo(each.progress);
                var contributions = explained.data().get("contributions");
                var points = contributions
                        .valueStream()
                        .map(contribution -> contribution.get("points").decimalValue())
                        .reduce(BigDecimal.ZERO, BigDecimal::add);
                assertThat(points)
                        .as(explained::toString)
                        .isCloseTo(
                                each.progress,
                                within(BigDecimal.valueOf(contributions.size() + 1L, 4)
                                        .divide(BigDecimal.TWO)));
                var history = viewer.get(path + past).is(200);
                assertThat(history.data()
                                .at("/points")
                                .valueStream()
                                .toList()
                                .getLast()
                                .get("progress")
                                .decimalValue())
                        .as(history::toString)
                        .isEqualByComparingTo(each.progress);
            }
        }
    }

    private interface Row {
        void accept(ResultSet row) throws SQLException;
    }

    private void read(String sql, Row each) throws SQLException {
        try (var connection = TestDatabase.connect();
                var statement = connection.prepareStatement(sql)) {
            statement.setObject(1, acme.id());
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    each.accept(rows);
                }
            }
        }
    }
}
