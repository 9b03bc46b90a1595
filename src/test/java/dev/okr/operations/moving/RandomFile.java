package dev.okr.operations.moving;

import static dev.okr.operations.moving.Moving.line;

import dev.okr.testing.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A file with random objectives, history, weights, alignments, and users who are gone. */
final class RandomFile {
    private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");
    private static final int USERS = 20;
    private static final int PER_TREE = 8;

    private final Random random;
    private final String domain;
    private final List<String> lines = new ArrayList<>();
    private final List<String> alignments = new ArrayList<>();
    private final List<String> checkIns = new ArrayList<>();

    private RandomFile(long seed, String domain) {
        this.random = new Random(seed);
        this.domain = domain;
    }

    static String of(long seed, String domain, int objectives) {
        var file = new RandomFile(seed, domain);
        file.write(objectives);
        return String.join("\n", file.lines) + "\n";
    }

    private void write(int objectives) {
        for (int i = 0; i < USERS; i++) {
            boolean isErased = i == 3;
            lines.add(line(
                    "user",
                    "email",
                    user(i),
                    "name",
                    isErased ? "Erased user" : "User " + i,
                    "role",
                    i % 3 == 0 ? "viewer" : "member",
                    "active",
                    !isErased && i % 5 != 0));
        }
        for (int i = 0; i < 5; i++) {
            lines.add(line(
                    "team",
                    "id",
                    "t" + i,
                    "name",
                    "Team " + i,
                    "members",
                    List.of(Json.object("email", user(i), "role", "lead"))));
        }
        for (int i = 0; i < 4; i++) {
            var start = START.plus(Duration.ofDays(90L * i));
            var closed = i == 0 ? start.plus(Duration.ofDays(95)).toString() : null;
            lines.add(line(
                    "cycle",
                    "id",
                    "q" + i,
                    "name",
                    "Quarter " + i,
                    "starts_at",
                    start.toString(),
                    "ends_at",
                    start.plus(Duration.ofDays(90)).toString(),
                    "closed_at",
                    closed));
        }
        for (int i = 0; i < objectives; i++) {
            objective(i);
        }
        lines.addAll(checkIns);
        lines.addAll(alignments);
    }

    private void objective(int i) {
        var id = "o" + i;
        int cycle = random.nextInt(4);
        lines.add(line(
                "objective",
                "id",
                id,
                "title",
                "Objective " + i + " “\\ü\t\uD83D\uDE00”",
                "description",
                random.nextBoolean() ? "Line\nbreak" : null,
                "cycle_id",
                "q" + cycle,
                "team_id",
                random.nextBoolean() ? "t" + random.nextInt(5) : null,
                "owner_email",
                user(random.nextInt(USERS)),
                "status",
                random.nextBoolean() ? "on_track" : "behind",
                "score",
                cycle == 0 ? random.nextInt(100) / 100.0 : null,
                "created_at",
                moment()));
        for (int k = random.nextInt(4); k > 0; k--) {
            keyResult(id, id + "k" + k);
        }
        // Trees of contributions, and chains that only support.
        if (i % PER_TREE != 0) {
            alignments.add(line(
                    "alignment",
                    "parent_objective_id",
                    "o" + (i - i % PER_TREE + (i % PER_TREE) / 2),
                    "child_objective_id",
                    id,
                    "alignment_type",
                    random.nextInt(3) == 0 ? "supports" : "contributes_to",
                    "weight",
                    random.nextInt(3_000) / 1_000.0));
        }
    }

    private void keyResult(String objective, String id) {
        lines.add(line(
                "key_result",
                "id",
                id,
                "objective_id",
                objective,
                "title",
                "Measure " + id,
                "metric_type",
                "number",
                "start_value",
                0,
                "current_value",
                random.nextInt(4) == 0 ? random.nextInt(100) : null,
                "target_value",
                100,
                "weight",
                random.nextInt(5),
                "owner_email",
                user(random.nextInt(USERS)),
                "created_at",
                moment()));
        for (int c = random.nextInt(6); c > 0; c--) {
            checkIns.add(line(
                    "check_in",
                    "id",
                    id + "c" + c,
                    "key_result_id",
                    id,
                    "value",
                    random.nextInt(1_000_000) / 10_000.0,
                    "note",
                    random.nextBoolean() ? "A note" : null,
                    "confidence",
                    random.nextBoolean() ? random.nextInt(11) : null,
                    "recorded_at",
                    START.plus(Duration.ofDays(50L * c))
                            .plus(random.nextInt(1_000_000), ChronoUnit.MICROS)
                            .toString(),
                    "author_email",
                    user(random.nextInt(USERS))));
        }
    }

    private String moment() {
        return START.plus(random.nextInt(1_000), ChronoUnit.SECONDS).toString();
    }

    private String user(int i) {
        return i == 3
                ? "00000000-0000-7000-8000-" + "%012x".formatted(domain.hashCode() & 0xFFFFFFFFL) + "@erased.invalid"
                : "user" + i + '@' + domain;
    }
}
