package dev.okr.operations.moving;

import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.progress.Progress;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes all data of an organisation, or those of one cycle. All lines come from one snapshot of the database. Only one
 * page of rows and some email addresses are in memory. Each page has its own statement, which reads an index in order.
 * So no statement takes long, even with many rows.
 */
public final class Export {
    /** A page stays in memory while its client reads. */
    private static final int ROWS_PER_PAGE = 200;

    /** An objective can have 34 KB of text. */
    private static final int OBJECTIVES_PER_PAGE = 50;

    /** A team with more members has several lines, because the size of a line is limited. */
    private static final int MEMBERS_PER_LINE = 1_000;

    private static final String BEGIN = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    private static final String ORGANIZATION = "SELECT slug, now() AS now FROM organization WHERE id = ?";
    private static final String CYCLE_EXISTS = "SELECT 1 FROM cycle WHERE organization_id = ? AND id = ?";

    private static final String USERS = """
            SELECT id, email, name, role, deactivated_at IS NULL AS active, created_at,
                coalesce(updated_at, created_at) AS updated_at
            FROM users WHERE organization_id = ? ORDER BY email COLLATE "C"
            """;
    private static final String TEAMS = """
            SELECT t.id, t.external_id, t.name, t.created_at, coalesce(t.updated_at, t.created_at) AS updated_at,
                (SELECT count(*) FROM objective o WHERE o.organization_id = ? AND o.team_id = t.id) AS objectives,
                (SELECT count(*) FROM team_member m WHERE m.organization_id = ? AND m.team_id = t.id) AS members
            FROM team t WHERE t.organization_id = ? ORDER BY t.name, t.id
            """;
    private static final String MEMBERS = "SELECT user_id, role FROM team_member"
            + " WHERE organization_id = ? AND team_id = ? AND user_id > ? ORDER BY user_id LIMIT " + MEMBERS_PER_LINE;
    private static final String EMAIL = "SELECT email FROM users WHERE organization_id = ? AND id = ?";

    /** Enough for 20,000 ordinary addresses. The rest is read again for each row. */
    private static final int MAX_CACHED_BYTES = 4_000_000;

    /** The objects of an address in the cache, without its characters. */
    private static final int BYTES_OF_ENTRY = 150;

    /** Rows outside of the cycle would refer to resources that are not in the file. */
    private static final String IN_CYCLE =
            "%s IN (SELECT i.id FROM objective i WHERE i.organization_id = ? AND i.cycle_id = ?)";

    private static final Table CYCLES =
            new Table("""
            SELECT e.id, e.external_id, e.name, e.starts_at, e.ends_at, e.status, e.closed_at, e.final_progress,
                e.created_at, e.updated_at, e.created_at AS position,
                (SELECT sum(t.objectives) FROM cycle_totals t
                    WHERE t.organization_id = ? AND t.cycle_id = e.id) AS objectives,
                (SELECT sum(t.progress) FROM cycle_totals t
                    WHERE t.organization_id = ? AND t.cycle_id = e.id) AS progress
            FROM cycle e""", 2, "e.created_at", "e.organization_id = ? AND e.id = ?", 0, ROWS_PER_PAGE);
    private static final Table OBJECTIVES =
            new Table("""
            SELECT e.id, e.external_id, e.title, e.description, e.owner_id, e.cycle_id, e.team_id, e.progress, e.status,
                e.score, e.retrospective, e.carried_over_from, e.created_at, e.updated_at, e.created_at AS position
            FROM objective e""", 0, "e.created_at", "e.organization_id = ? AND e.cycle_id = ?", 0, OBJECTIVES_PER_PAGE);
    private static final Table KEY_RESULTS = new Table(
            """
            SELECT e.id, e.external_id, e.objective_id, e.title, e.metric_type, e.start_value, e.current_value,
                e.target_value, e.progress, e.weight, e.owner_id, e.created_at, e.updated_at, e.created_at AS position,
                (SELECT c.confidence FROM check_in c WHERE c.organization_id = ? AND c.key_result_id = e.id
                    ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT 1) AS confidence
            FROM key_result e""",
            1,
            "e.created_at",
            "e.organization_id = ? AND " + IN_CYCLE.formatted("e.objective_id"),
            1,
            ROWS_PER_PAGE);
    private static final Table CHECK_INS = new Table(
            """
            SELECT e.id, e.external_id, e.key_result_id, k.objective_id, e.value, e.note, e.confidence, e.author_id,
                coalesce(e.recorded_at, e.created_at) AS recorded_at, e.created_at, e.updated_at,
                coalesce(e.recorded_at, e.created_at) AS position
            FROM check_in e JOIN key_result k ON k.organization_id = ? AND k.id = e.key_result_id""",
            1,
            "coalesce(e.recorded_at, e.created_at)",
            "e.organization_id = ? AND " + IN_CYCLE.formatted("k.objective_id"),
            1,
            ROWS_PER_PAGE);
    private static final Table ALIGNMENTS = new Table(
            """
            SELECT e.id, e.parent_objective_id, e.child_objective_id, e.alignment_type, coalesce(e.weight, 1) AS weight,
                e.created_at, e.updated_at, e.created_at AS position
            FROM alignment e""",
            0,
            "e.created_at",
            "e.organization_id = ? AND " + IN_CYCLE.formatted("e.parent_objective_id") + " AND "
                    + IN_CYCLE.formatted("e.child_objective_id"),
            2,
            ROWS_PER_PAGE);

    private final Sql sql;
    private final UUID organization;
    private final @Nullable UUID cycle;
    private final LineWriter lines;
    private final LongConsumer progress;
    private final Map<UUID, String> emails = new HashMap<>();
    private int cachedBytes;

    /**
     * A table and its statements.
     *
     * @param organizations how many parameters of the SELECT list and of the joins are the organisation
     * @param position the columns that order the lines, before the id
     * @param inCycle the condition for the rows of a cycle
     * @param subqueries the number of subqueries of that condition. Each names the organisation and the cycle.
     * @param rowsPerPage how many rows one statement reads
     */
    private record Table(
            String select, int organizations, String position, String inCycle, int subqueries, int rowsPerPage) {
        String page() {
            return select + " WHERE e.organization_id = ? AND (" + position + ", e.id) > (?, ?)" + order() + " LIMIT "
                    + rowsPerPage;
        }

        String ofCycle() {
            return select + " WHERE " + inCycle + order();
        }

        private String order() {
            return " ORDER BY " + position + ", e.id";
        }

        List<Object> parameters(UUID organization) {
            var parameters = new ArrayList<Object>();
            for (int i = 0; i <= organizations; i++) {
                parameters.add(organization);
            }
            return parameters;
        }

        Object[] ofCycle(UUID organization, UUID cycle) {
            var parameters = parameters(organization);
            if (subqueries == 0) {
                parameters.add(cycle);
            }
            for (int i = 0; i < subqueries; i++) {
                parameters.addAll(List.of(organization, cycle));
            }
            return parameters.toArray();
        }
    }

    /** Writes the data of a row. */
    @FunctionalInterface
    private interface RowWriter {
        void write(ResultSet row) throws SQLException, IOException;
    }

    private Export(Sql sql, UUID organization, @Nullable UUID cycle, OutputStream out, LongConsumer progress)
            throws IOException {
        this.sql = sql;
        this.organization = organization;
        this.cycle = cycle;
        this.lines = new LineWriter(out);
        this.progress = progress;
    }

    /**
     * Writes an export.
     *
     * @param cycle null for all cycles
     * @param progress receives the number of lines so far, from time to time
     * @throws Failure if the organisation has no such cycle
     */
    public static void write(
            DataSource database, UUID organization, @Nullable UUID cycle, OutputStream out, LongConsumer progress)
            throws SQLException, IOException {
        try {
            Sql.transaction(database, sql -> {
                sql.update(BEGIN);
                new Export(sql, organization, cycle, out, progress).write();
                return organization;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** @throws Failure if the organisation has no such cycle */
    public static void requireCycle(DataSource database, UUID organization, UUID cycle) throws SQLException {
        if (Sql.transaction(database, sql -> sql.first(row -> true, CYCLE_EXISTS, organization, cycle))
                .isEmpty()) {
            throw Failure.notFound("cycle");
        }
    }

    private void write() throws SQLException, IOException {
        each(ORGANIZATION, row -> lines.header(Sql.instant(row, "now"), row.getString("slug")), organization);
        each(USERS, this::user, organization);
        each(TEAMS, this::team, organization, organization, organization);
        table(CYCLES, this::cycle);
        table(OBJECTIVES, this::objective);
        table(KEY_RESULTS, this::keyResult);
        table(CHECK_INS, this::checkIn);
        table(ALIGNMENTS, this::alignment);
        lines.flush();
        progress.accept(lines.lines());
    }

    private void table(Table table, RowWriter writer) throws SQLException {
        if (cycle != null) {
            each(table.rowsPerPage, table.ofCycle(), writer, table.ofCycle(organization, cycle));
            return;
        }
        record Position(Instant at, UUID id) {}
        var last = new Position(Instant.EPOCH, new UUID(0, 0));
        List<Position> page;
        do {
            var parameters = table.parameters(organization);
            parameters.addAll(List.of(last.at, last.id));
            page = sql.list(
                    row -> {
                        write(writer, row);
                        return new Position(Sql.instant(row, "position"), Sql.uuid(row, "id"));
                    },
                    table.page(),
                    parameters.toArray());
            if (!page.isEmpty()) {
                last = page.getLast();
            }
        } while (page.size() == table.rowsPerPage);
    }

    private void each(String statement, RowWriter writer, Object... parameters) throws SQLException {
        each(ROWS_PER_PAGE, statement, writer, parameters);
    }

    private void each(int rowsPerPage, String statement, RowWriter writer, Object... parameters) throws SQLException {
        // Uses a custom plan, because a cycle can have a few rows or almost all rows.
        new Sql(sql.connection(), true).each(rowsPerPage, row -> write(writer, row), statement, parameters);
    }

    private void write(RowWriter writer, ResultSet row) throws SQLException {
        try {
            writer.write(row);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (lines.lines() % ROWS_PER_PAGE == 0) {
            progress.accept(lines.lines());
        }
    }

    private void user(ResultSet row) throws SQLException, IOException {
        var id = Sql.uuid(row, "id");
        var email = row.getString("email");
        cache(id, email);
        lines.begin(LineType.USER)
                .id("id", IdKind.USER, id)
                .text("name", row.getString("name"))
                .text("email", email)
                .text("role", row.getString("role"))
                .bool("active", row.getBoolean("active"));
        times(row);
    }

    private void team(ResultSet row) throws SQLException, IOException {
        record Member(UUID user, String role) {}
        var id = Sql.uuid(row, "id");
        long members = row.getLong("members");
        long written = 0;
        var last = new UUID(0, 0);
        List<Member> page;
        do {
            page = sql.list(
                    member -> new Member(Sql.uuid(member, "user_id"), member.getString("role")),
                    MEMBERS,
                    organization,
                    id,
                    last);
            lines.begin(LineType.TEAM)
                    .id("id", IdKind.TEAM, id)
                    .text("external_id", row.getString("external_id"))
                    .text("name", row.getString("name"))
                    .integer("members_count", members)
                    .integer("objectives_count", row.getLong("objectives"))
                    .beginList("members");
            for (var member : page) {
                lines.beginItem()
                        .text("email", email(member.user))
                        .text("role", member.role)
                        .endItem();
                last = member.user;
            }
            lines.endList();
            times(row);
            written += page.size();
        } while (written < members && !page.isEmpty());
    }

    private void cycle(ResultSet row) throws SQLException, IOException {
        long objectives = row.getLong("objectives");
        var sum = Objects.requireNonNullElse(row.getBigDecimal("progress"), BigDecimal.ZERO);
        lines.begin(LineType.CYCLE)
                .id("id", IdKind.CYCLE, Sql.uuid(row, "id"))
                .text("external_id", row.getString("external_id"))
                .text("name", row.getString("name"))
                .time("starts_at", Sql.instant(row, "starts_at"))
                .time("ends_at", Sql.instant(row, "ends_at"))
                .text("status", row.getString("status"))
                .integer("objectives_count", objectives)
                .decimal("overall_progress", Progress.mean(sum, objectives))
                .time("closed_at", Sql.instantOrNull(row, "closed_at"))
                .decimal("final_progress", row.getBigDecimal("final_progress"));
        times(row);
    }

    private void objective(ResultSet row) throws SQLException, IOException {
        var owner = Sql.uuid(row, "owner_id");
        lines.begin(LineType.OBJECTIVE)
                .id("id", IdKind.OBJECTIVE, Sql.uuid(row, "id"))
                .text("external_id", row.getString("external_id"))
                .text("title", row.getString("title"))
                .text("description", row.getString("description"))
                .id("owner_id", IdKind.USER, owner)
                .text("owner_email", email(owner))
                .id("cycle_id", IdKind.CYCLE, Sql.uuid(row, "cycle_id"))
                .id("team_id", IdKind.TEAM, Sql.uuid(row, "team_id"))
                .decimal("progress", row.getBigDecimal("progress"))
                .text("status", row.getString("status"))
                .decimal("score", row.getBigDecimal("score"))
                .text("retrospective", row.getString("retrospective"))
                .id("carried_over_from", IdKind.OBJECTIVE, Sql.uuid(row, "carried_over_from"));
        times(row);
    }

    private void keyResult(ResultSet row) throws SQLException, IOException {
        var owner = Sql.uuid(row, "owner_id");
        lines.begin(LineType.KEY_RESULT)
                .id("id", IdKind.KEY_RESULT, Sql.uuid(row, "id"))
                .text("external_id", row.getString("external_id"))
                .id("objective_id", IdKind.OBJECTIVE, Sql.uuid(row, "objective_id"))
                .text("title", row.getString("title"))
                .text("metric_type", row.getString("metric_type"))
                .decimal("start_value", row.getBigDecimal("start_value"))
                .decimal("current_value", row.getBigDecimal("current_value"))
                .decimal("target_value", row.getBigDecimal("target_value"))
                .decimal("progress", row.getBigDecimal("progress"))
                .decimal("weight", row.getBigDecimal("weight"))
                .integer("confidence", row.getObject("confidence", Integer.class))
                .id("owner_id", IdKind.USER, owner)
                .text("owner_email", email(owner));
        times(row);
    }

    private void checkIn(ResultSet row) throws SQLException, IOException {
        var author = Sql.uuid(row, "author_id");
        lines.begin(LineType.CHECK_IN)
                .id("id", IdKind.CHECK_IN, Sql.uuid(row, "id"))
                .text("external_id", row.getString("external_id"))
                .id("key_result_id", IdKind.KEY_RESULT, Sql.uuid(row, "key_result_id"))
                .id("objective_id", IdKind.OBJECTIVE, Sql.uuid(row, "objective_id"))
                .decimal("value", row.getBigDecimal("value"))
                .text("note", row.getString("note"))
                .integer("confidence", row.getObject("confidence", Integer.class))
                .id("author_id", IdKind.USER, author)
                .text("author_email", email(author))
                .time("recorded_at", Sql.instant(row, "recorded_at"));
        times(row);
    }

    private void alignment(ResultSet row) throws SQLException, IOException {
        lines.begin(LineType.ALIGNMENT)
                .id("id", IdKind.ALIGNMENT, Sql.uuid(row, "id"))
                .id("parent_objective_id", IdKind.OBJECTIVE, Sql.uuid(row, "parent_objective_id"))
                .id("child_objective_id", IdKind.OBJECTIVE, Sql.uuid(row, "child_objective_id"))
                .text("alignment_type", row.getString("alignment_type"))
                .decimal("weight", row.getBigDecimal("weight"));
        times(row);
    }

    private void times(ResultSet row) throws SQLException, IOException {
        lines.time("created_at", Sql.instant(row, "created_at"))
                .time("updated_at", Sql.instant(row, "updated_at"))
                .end();
    }

    private String email(UUID user) throws SQLException {
        var known = emails.get(user);
        if (known != null) {
            return known;
        }
        var email = sql.first(row -> row.getString("email"), EMAIL, organization, user)
                .orElseThrow();
        cache(user, email);
        return email;
    }

    private void cache(UUID user, String email) {
        int bytes = email.length() + BYTES_OF_ENTRY;
        if (cachedBytes + bytes <= MAX_CACHED_BYTES) {
            emails.put(user, email);
            cachedBytes += bytes;
        }
    }
}
