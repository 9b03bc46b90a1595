package dev.okr.bench;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Measures pages by cursor with the filter {@code q}, in an organisation with a million objectives. It adds these to the
 * last organisation with an API key. Half of them have a description.
 */
final class Searches {
    private static final int ORGANIZATION = 32;
    private static final int SEARCHES = 100;
    private static final long SEED = 16;

    /** Only every hundred thousandth objective has this word. */
    private static final String RARE = "unicorn";

    private static final int RARE_EVERY = 100_000;

    private static final double MAX_MILLIS = 50;

    private final Meter meter;
    private final Pace pace;
    private final Report report;
    private final Results results;
    private final Connection connection;
    private final int objectives;

    Searches(Meter meter, Pace pace, Report report, Results results, Connection connection, int objectives) {
        this.meter = meter;
        this.pace = pace;
        this.report = report;
        this.results = results;
        this.connection = connection;
        this.objectives = objectives;
    }

    void run() throws SQLException, IOException {
        fill();
        var random = new SplittableRandom(SEED);
        var pairs = new ArrayList<Target>();
        for (int i = 0; i < SEARCHES; i++) {
            var words = dev.okr.platform.http.Words.of(Words.title(random.nextLong())).all();
            int first = random.nextInt(words.size());
            pairs.add(search(words.get(first) + ' ' + words.get((first + 1) % words.size())));
        }
        measure("two words of a title", pairs, MAX_MILLIS);
        measure("a word that a tenth has", List.of(search("improve"), search("launch"), search("rework")), MAX_MILLIS);
        measure("a rare word", List.of(search(RARE)), MAX_MILLIS);
        measure("a word that none has", List.of(search("xylophone")), MAX_MILLIS);
        measure("a word that half have", List.of(search("half")), 0);
        measure("eight letters", List.of(search("a b h i o s t w")), 0);
    }

    private static Target search(String words) {
        var q = URLEncoder.encode(words, StandardCharsets.UTF_8);
        return Target.get("/v1/objectives?cursor=&q=" + q, Tenant.token(ORGANIZATION));
    }

    private void fill() throws SQLException, IOException {
        long start = System.nanoTime();
        try (var statement = connection.createStatement()) {
            // Without triggers and the checks of foreign keys.
            statement.execute("SET session_replication_role = replica");
            copy("objective", "organization_id,id,title,description,owner_id,cycle_id,progress,status,created_at,updated_at");
            copy("objective_words", "organization_id,id,created_at,words");
            statement.execute("SET session_replication_role = DEFAULT");
            Dataset.fillTotals(connection);
            statement.execute("VACUUM (ANALYZE) objective");
            statement.execute("VACUUM (ANALYZE) objective_words");
            statement.execute("CHECKPOINT");
        }
        Report.say("  %,d objectives to search in %.0f s", objectives, (System.nanoTime() - start) / 1e9);
    }

    /** Words are sent as text, because their binary format needs them sorted. */
    private void copy(String table, String columns) throws SQLException, IOException {
        var tenant = new Tenant(ORGANIZATION, 1);
        boolean isText = table.equals("objective_words");
        if (isText) {
            try (var statement = connection.createStatement()) {
                statement.execute("CREATE TEMPORARY TABLE searched (%s)".formatted(
                        "organization_id uuid, id uuid, created_at timestamptz, words text"));
            }
        }
        try (var rows = new CopyRows(connection, isText ? "searched" : table, columns, false)) {
            // The organisation has some objectives already.
            for (int i = SEARCHES; i < SEARCHES + objectives; i++) {
                long random = tenant.random(Tenant.Kind.OBJECTIVE, i);
                var title = Words.title(random) + (i % 2 == 0 ? " half" : "") + (i % RARE_EVERY == 0 ? ' ' + RARE : "");
                var description = (random & 1) == 0 ? Words.description(random) : null;
                rows.row().id(tenant.id).id(tenant.objective(i));
                if (isText) {
                    rows.moment(Tenant.objectiveMoment(i))
                            .text(dev.okr.platform.http.Words.of(title, description).vector(tenant.id));
                } else {
                    objective(rows, tenant, i, title, description);
                }
            }
        }
        if (isText) {
            try (var statement = connection.createStatement()) {
                statement.execute("INSERT INTO objective_words (%1$s) SELECT organization_id,id,created_at,words::tsvector"
                        .formatted(columns) + " FROM searched");
                statement.execute("DROP TABLE searched");
            }
        }
    }

    private static void objective(CopyRows rows, Tenant tenant, int objective, String title, String description)
            throws IOException {
        rows.text(title);
        if (description == null) {
            rows.nothing();
        } else {
            rows.text(description);
        }
        rows.id(tenant.user(objective)).id(tenant.cycle(objective)).number(0).text("on_track");
        rows.moment(Tenant.objectiveMoment(objective)).moment(Tenant.objectiveMoment(objective));
    }

    /** @param maxMillis 0 without a target */
    private void measure(String what, List<Target> targets, double maxMillis) throws IOException, SQLException {
        var wrk = meter.wrk("search", targets);
        meter.run(wrk, pace.seconds(), 1, 1);
        var figures = meter.run(wrk, pace.seconds(), 1, 1);
        results.add("search", what, what, figures.p50(), maxMillis);
        var label = Report.format("q in %,d objectives, one at a time: %s", objectives, what);
        if (maxMillis == 0) {
            report.tell(label, figures.times());
        } else {
            report.judge(
                    label,
                    figures.times(),
                    Report.format("p50 <= %.0f ms", maxMillis),
                    figures.p50() <= maxMillis);
        }
    }
}
