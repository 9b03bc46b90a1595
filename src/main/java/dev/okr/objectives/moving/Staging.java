package dev.okr.objectives.moving;

import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The temporary tables of an import. They hold all data whose size depends on the file, so that the memory use of the
 * service does not depend on it. They end with the transaction. In a distributed schema they are on the coordinator. No
 * statement uses them together with other tables.
 */
public final class Staging {
    /** The maximum number of rows that one statement reads or writes. */
    public static final int BATCH = 1_000;

    private static final int MAX_BATCH_CHARACTERS = 1 << 20;

    // The first line of a batch can be larger than the maximum.
    private static final String LINES = """
            SELECT line, content FROM (
                SELECT line, content, sum(characters) OVER (ORDER BY line) - characters AS before FROM (
                    SELECT line, characters, content FROM staged_line WHERE type = ? AND line > ?
                    ORDER BY line LIMIT ?) next) batch
            WHERE before < %d ORDER BY line
            """.formatted(MAX_BATCH_CHARACTERS);

    // The statistics do not contain the new rows of the import yet. The planner would expect none for the organisation
    // and choose any of its indexes. A generic plan assumes an average organisation. No plan is kept, because tables
    // grow (TenantSql.listPlanned). LEFT JOIN makes a statement search the rows that the lines name first. Citus needs
    // the values to plan.
    private static final String GENERIC_PLANS = """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', true)
            WHERE to_regclass('pg_dist_partition') IS NULL
            """;

    private static final List<String> CREATE = List.of(
            // The lines of the file, by type.
            """
            CREATE TEMPORARY TABLE staged_line (
                type smallint, line integer, characters integer, content text, PRIMARY KEY (type, line)) ON COMMIT DROP
            """,
            // The ids by which other lines can name the resource of a line.
            """
            CREATE TEMPORARY TABLE staged_id (
                type smallint, ref text, id uuid, is_new boolean, PRIMARY KEY (ref, type)) ON COMMIT DROP
            """,
            // Created resources, and changed resources with their previous state.
            """
            CREATE TEMPORARY TABLE staged_change (
                type smallint, id uuid, line integer, before text, PRIMARY KEY (type, id)) ON COMMIT DROP
            """,
            "CREATE INDEX ON staged_change (type, line, id)",
            // The objectives whose progress may change.
            "CREATE TEMPORARY TABLE staged_progress (id uuid PRIMARY KEY, is_final boolean) ON COMMIT DROP",
            // The objectives that roll up, with the length of the longest chain of alignments above each.
            "CREATE TEMPORARY TABLE staged_level (id uuid PRIMARY KEY, level integer) ON COMMIT DROP",
            "CREATE INDEX ON staged_level (level, id)",
            // The key results whose current value or confidence this import can change.
            """
            CREATE TEMPORARY TABLE staged_value (
                id uuid PRIMARY KEY, is_new boolean, is_given boolean, confidence integer) ON COMMIT DROP
            """,
            // New copies of objectives, and copies that move to another cycle.
            """
            CREATE TEMPORARY TABLE staged_copy (
                id uuid PRIMARY KEY, line integer, target uuid, ref text, is_moved boolean) ON COMMIT DROP
            """);

    private final Sql sql;
    private final Runnable alive;
    private final List<@Nullable Object[]> lines = new ArrayList<>();
    private int lineCharacters;

    /** The number of rows that were added to each table. */
    private final Map<String, Long> added = new HashMap<>();

    private Staging(Sql sql, Runnable alive) {
        this.sql = sql;
        this.alive = alive;
    }

    /**
     * Creates the tables in a transaction.
     *
     * @param alive is called with each batch
     */
    public static Staging begin(Sql sql, Runnable alive) throws SQLException {
        sql.list(row -> row.getString(1), GENERIC_PLANS);
        for (var statement : CREATE) {
            sql.update(statement);
        }
        return new Staging(sql, alive);
    }

    /** A line of the file. */
    public record Line(int number, String content) {
        private static Line read(ResultSet row) throws SQLException {
            return new Line(row.getInt("line"), row.getString("content"));
        }
    }

    /** The resource of a line. */
    public record Known(UUID id, boolean isNew) {}

    /**
     * A created or changed resource.
     *
     * @param before the resource before, as the API shows it; null if it was created
     */
    public record Changed(UUID id, int line, @Nullable String before) {
        private static Changed read(ResultSet row) throws SQLException {
            return new Changed(Sql.uuid(row, "id"), row.getInt("line"), row.getString("before"));
        }
    }

    /** Takes the work of a batch. */
    @FunctionalInterface
    public interface Work<T> {
        void run(List<T> batch) throws SQLException;
    }

    /** Adds a line. {@link #endLines} must follow. */
    public void add(LineType type, int number, String content) throws SQLException {
        lines.add(new @Nullable Object[] {type.ordinal(), number, content.length(), content});
        lineCharacters += content.length();
        if (lines.size() == BATCH || lineCharacters > MAX_BATCH_CHARACTERS) {
            endLines();
        }
    }

    public void endLines() throws SQLException {
        alive.run();
        copy("staged_line", List.of("type", "line", "characters", "content"), lines);
        lines.clear();
        lineCharacters = 0;
    }

    /** Visits the lines of a type in their order. */
    public void eachLine(LineType type, Work<Line> work) throws SQLException {
        var batch = nextLines(type, 0);
        while (!batch.isEmpty()) {
            work.run(batch);
            batch = nextLines(type, batch.getLast().number());
        }
    }

    private List<Line> nextLines(LineType type, int last) throws SQLException {
        alive.run();
        return sql.list(Line::read, LINES, type.ordinal(), last, type.batch());
    }

    /** The resources of the lines that have these ids. */
    public Map<String, Known> find(LineType type, Collection<String> refs) throws SQLException {
        var found = new HashMap<String, Known>();
        if (!refs.isEmpty()) {
            sql.list(
                    row -> found.put(row.getString("ref"), new Known(Sql.uuid(row, "id"), row.getBoolean("is_new"))),
                    "SELECT ref, id, is_new FROM staged_id WHERE type = ? AND ref = ANY (?)",
                    type.ordinal(),
                    refs);
        }
        return found;
    }

    /** Adds ids that no line of this type has yet. */
    public void addIds(LineType type, Map<String, Known> ids) throws SQLException {
        var rows = new ArrayList<@Nullable Object[]>();
        ids.forEach((ref, known) -> rows.add(new @Nullable Object[] {type.ordinal(), ref, known.id, known.isNew}));
        copy("staged_id", List.of("type", "ref", "id", "is_new"), rows);
    }

    /** Adds changes. Only the first change of a resource is kept, because it has the state before the import. */
    public void addChanges(LineType type, Collection<Changed> changes) throws SQLException {
        var rows = new ArrayList<List<@Nullable Object>>();
        for (var change : changes) {
            var row = new ArrayList<@Nullable Object>();
            row.add(type.ordinal());
            row.add(change.id);
            row.add(change.line);
            row.add(change.before);
            rows.add(row);
        }
        insert("staged_change", "(type, id, line, before)", "(?, ?, ?, ?)", rows);
    }

    /** Visits all changes of a type, in the order of the lines. */
    public void eachChange(LineType type, Work<Changed> work) throws SQLException {
        int line = -1;
        var id = new UUID(0, 0);
        List<Changed> batch;
        do {
            alive.run();
            batch = sql.list(Changed::read, """
                    SELECT id, line, before FROM staged_change WHERE type = ? AND (line, id) > (?, ?)
                    ORDER BY line, id LIMIT ?""", type.ordinal(), line, id, type.batch());
            if (!batch.isEmpty()) {
                work.run(batch);
                line = batch.getLast().line();
                id = batch.getLast().id();
            }
        } while (batch.size() == type.batch());
    }

    /** Filters resources: returns those that the import has created or changed. */
    public Collection<UUID> changed(LineType type, Collection<UUID> ids) throws SQLException {
        return ids.isEmpty()
                ? List.of()
                : sql.list(
                        row -> Sql.uuid(row, "id"),
                        "SELECT id FROM staged_change WHERE type = ? AND id = ANY (?)",
                        type.ordinal(),
                        ids);
    }

    /**
     * Adds objectives whose progress may change.
     *
     * @param isFinal whether it has the progress that it had when its cycle was closed
     */
    public void addProgress(Collection<UUID> objectives, boolean isFinal) throws SQLException {
        insert(
                "staged_progress",
                "(id, is_final)",
                "(?, ?)",
                objectives.stream()
                        .distinct()
                        .map(id -> List.<Object>of(id, isFinal))
                        .toList());
    }

    /** Filters objectives: returns those whose progress is final. */
    public Collection<UUID> finalProgress(Collection<UUID> objectives) throws SQLException {
        alive.run();
        return sql.list(
                row -> Sql.uuid(row, "id"),
                "SELECT id FROM staged_progress WHERE is_final AND id = ANY (?)",
                objectives);
    }

    /** Visits the objectives whose progress may change. */
    public void eachProgress(Work<UUID> work) throws SQLException {
        each("staged_progress", "true", LineType.OBJECTIVE, Staging::id, id -> id, work);
    }

    /** Adds objectives with the lengths of the longest chains above them. */
    public void addLevels(Map<UUID, Integer> levels) throws SQLException {
        insert(
                "staged_level",
                "(id, level)",
                "(?, ?)",
                levels.entrySet().stream()
                        .map(each -> List.<Object>of(each.getKey(), each.getValue()))
                        .toList());
    }

    /** Visits the objectives with levels, from the deepest level up. No batch has objectives of two levels. */
    public void eachLevel(Work<UUID> work) throws SQLException {
        var levels =
                sql.list(row -> row.getInt("level"), "SELECT DISTINCT level FROM staged_level ORDER BY level DESC");
        for (int level : levels) {
            each("staged_level", "level = " + level, LineType.OBJECTIVE, Staging::id, id -> id, work);
        }
    }

    private static UUID id(ResultSet row) throws SQLException {
        return Sql.uuid(row, "id");
    }

    /**
     * A key result whose current value or confidence this import can change.
     *
     * @param isGiven whether its line has a current value
     * @param confidence its confidence before the import; null if it had none or is new
     */
    public record Value(
            UUID id,
            boolean isNew,
            boolean isGiven,
            @Nullable Integer confidence) {
        private static Value read(ResultSet row) throws SQLException {
            return new Value(
                    Sql.uuid(row, "id"),
                    row.getBoolean("is_new"),
                    row.getBoolean("is_given"),
                    row.getObject("confidence", Integer.class));
        }
    }

    /** Only the first value of a key result is kept. */
    public void addValues(Collection<Value> values) throws SQLException {
        insert(
                "staged_value",
                "(id, is_new, is_given, confidence)",
                "(?, ?, ?, ?)",
                values.stream()
                        .map(value ->
                                Arrays.<@Nullable Object>asList(value.id, value.isNew, value.isGiven, value.confidence))
                        .toList());
    }

    public void eachValue(Work<Value> work) throws SQLException {
        each("staged_value", "true", LineType.KEY_RESULT, Value::read, Value::id, work);
    }

    /**
     * An objective that continues another one.
     *
     * @param target the cycle of the copy
     * @param ref the id of the original in the file, or its public id if the copy moves
     * @param isMoved whether an existing copy moves to the cycle
     */
    public record Copy(UUID id, int line, UUID target, String ref, boolean isMoved) {
        private static Copy read(ResultSet row) throws SQLException {
            return new Copy(
                    Sql.uuid(row, "id"),
                    row.getInt("line"),
                    Sql.uuid(row, "target"),
                    row.getString("ref"),
                    row.getBoolean("is_moved"));
        }
    }

    public void addCopies(Collection<Copy> copies) throws SQLException {
        insert(
                "staged_copy",
                "(id, line, target, ref, is_moved)",
                "(?, ?, ?, ?, ?)",
                copies.stream()
                        .map(copy -> List.<Object>of(copy.id, copy.line, copy.target, copy.ref, copy.isMoved))
                        .toList());
    }

    /** Returns those of the objectives that are copies and move to another cycle. */
    public Collection<UUID> movedCopies(Collection<UUID> objectives) throws SQLException {
        return objectives.isEmpty()
                ? List.of()
                : sql.list(
                        row -> Sql.uuid(row, "id"),
                        "SELECT id FROM staged_copy WHERE is_moved AND id = ANY (?)",
                        objectives);
    }

    public void eachCopy(Work<Copy> work) throws SQLException {
        each("staged_copy", "true", LineType.OBJECTIVE, Copy::read, Copy::id, work);
    }

    private void copy(String table, List<String> columns, List<@Nullable Object[]> rows) throws SQLException {
        sql.copy(table, columns, rows);
        analyze(table, rows.size());
    }

    /**
     * Collects the statistics of a table whenever the number of added rows reaches another power of two, because
     * autovacuum does not process temporary tables.
     */
    private void analyze(String table, int newRows) throws SQLException {
        long total = added.merge(table, (long) newRows, Long::sum);
        if (total > BATCH && Long.highestOneBit(total) > total - newRows) {
            sql.update("ANALYZE " + table);
        }
    }

    private <T> void each(
            String table, String condition, LineType type, Sql.Reader<T> reader, Function<T, UUID> id, Work<T> work)
            throws SQLException {
        var last = new UUID(0, 0);
        List<T> batch;
        do {
            alive.run();
            batch = sql.list(
                    reader,
                    "SELECT * FROM " + table + " WHERE " + condition + " AND id > ? ORDER BY id LIMIT ?",
                    last,
                    type.batch());
            if (!batch.isEmpty()) {
                work.run(batch);
                last = id.apply(batch.getLast());
            }
        } while (batch.size() == type.batch());
    }

    private void insert(String table, String columns, String row, List<? extends List<? extends @Nullable Object>> rows)
            throws SQLException {
        for (int i = 0; i < rows.size(); i += BATCH) {
            var some = rows.subList(i, Math.min(i + BATCH, rows.size()));
            sql.update(
                    "INSERT INTO " + table + " " + columns + " VALUES "
                            + String.join(", ", Collections.nCopies(some.size(), row)) + " ON CONFLICT DO NOTHING",
                    some.stream().flatMap(List::stream).toArray());
            analyze(table, some.size());
        }
    }
}
