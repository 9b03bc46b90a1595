package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Slice;
import dev.okr.platform.http.Sort;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An objective of a cycle, with the names of its owner and its team. */
public record CycleObjective(
        UUID id,
        Instant createdAt,
        Instant updatedAt,
        String title,
        ObjectiveStatus status,
        BigDecimal progress,
        @Nullable BigDecimal score,
        @Nullable String retrospective,
        String owner,
        @Nullable UUID teamId,
        @Nullable String team) {

    /** Further words of a search are ignored. */
    private static final int MAX_WORDS = 8;

    // The inner query reads and sorts no texts of objectives that are not shown.
    private static final String LIST = """
            SELECT found.*, o.updated_at, o.title, o.status, o.progress, o.score, o.retrospective, o.team_id,
                u.name AS owner, t.name AS team_name
            FROM (
                SELECT o.id, o.created_at%s
                FROM objective o WHERE o.organization_id = :organization AND o.cycle_id = ?%s
                ORDER BY %s LIMIT ? OFFSET ?) found
            JOIN objective o ON o.organization_id = :organization AND o.id = found.id
            JOIN users u ON u.organization_id = :organization AND u.id = o.owner_id
            LEFT JOIN team t ON t.organization_id = :organization AND t.id = o.team_id
            ORDER BY %s
            """;

    // To count, the statement reads all matching objectives of the cycle. Without a filter and in the order of
    // creation, an index is enough for the total.
    private static final String TOTAL = ", count(*) OVER () AS total";

    private static final String SCORED = TOTAL + ", count(o.score) OVER () AS scored";

    private static final String NOT_SCORED_FIRST = "o.score IS NOT NULL, o.created_at, o.id";

    // One condition for all words, so that a text is converted to lower case only once. The conversion takes longer
    // than a comparison.
    private static final String CONTAINS = "lower(o.title || ' ' || coalesce(o.description, '')) LIKE ALL (?)";

    private static final String ALIGNMENTS = """
            SELECT a.parent_objective_id, a.child_objective_id FROM alignment a
            WHERE a.organization_id = :organization AND a.child_objective_id = ANY (?)
                AND a.parent_objective_id = ANY (?)
            ORDER BY a.created_at, a.id
            """;

    /**
     * Which objectives to list. Null and empty values do not restrict the list.
     *
     * @param withoutTeam whether to list only those that have no team
     * @param text each of its words is in the title or in the description, ignoring case
     */
    public record Filter(
            @Nullable UUID teamId,
            boolean withoutTeam,
            @Nullable UUID ownerId,
            @Nullable ObjectiveStatus status,
            String text) {
        public static final Filter NONE = new Filter(null, false, null, null, "");

        /** One LIKE pattern for each word. */
        private List<String> patterns() {
            return Stream.of(text.toLowerCase(Locale.ROOT).split("\\s+"))
                    .filter(word -> !word.isEmpty())
                    .limit(MAX_WORDS)
                    .map(word -> '%' + word.replaceAll("[\\\\%_]", "\\\\$0") + '%')
                    .toList();
        }
    }

    /** An alignment between two listed objectives. */
    public record Edge(UUID parent, UUID child) {}

    /** @param scored how many of all objectives have a score */
    public record Scores(List<CycleObjective> objectives, long total, long scored) {}

    private record Row(CycleObjective objective, long total, long scored) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(CycleObjective.read(row), row.getLong("total"), 0);
        }

        static Row readScored(ResultSet row) throws SQLException {
            return new Row(CycleObjective.read(row), row.getLong("total"), row.getLong("scored"));
        }
    }

    /** The objectives of a cycle, newest first. */
    public static Slice<CycleObjective> list(UUID cycleId, Filter filter, int limit) {
        return list(cycleId, filter, Sort.NEWEST, limit, 0);
    }

    /** The objectives of a cycle in an order. */
    public static Slice<CycleObjective> list(UUID cycleId, Filter filter, Sort sort, int limit, long offset) {
        var conditions = new Conditions(cycleId, filter);
        var rows = rows(Row::read, TOTAL, conditions, order(sort), limit, offset);
        return new Slice<>(
                rows.stream().map(Row::objective).toList(),
                rows.isEmpty() ? 0 : rows.getFirst().total(),
                null);
    }

    /** The newest objectives of a cycle, without a total. */
    public static List<CycleObjective> newest(UUID cycleId, Filter filter, int limit) {
        return next(cycleId, filter, Sort.NEWEST, null, limit);
    }

    /**
     * Some objectives of a cycle in an order.
     *
     * @param last the objective that comes before them; null for the first ones
     */
    public static List<CycleObjective> next(
            UUID cycleId, Filter filter, Sort sort, @Nullable CycleObjective last, int limit) {
        var conditions = new Conditions(cycleId, filter);
        if (last != null) {
            var comparison = sort.descending() ? '<' : '>';
            conditions.add(
                    "(%s, o.id) %s (?, ?)".formatted(expression(sort), comparison), last.position(sort), last.id);
        }
        return rows(CycleObjective::read, "", conditions, order(sort), limit, 0);
    }

    /** The objectives of a cycle. Those without a score come first. */
    public static Scores scores(UUID cycleId, int limit) {
        var rows = rows(Row::readScored, SCORED, new Conditions(cycleId, Filter.NONE), NOT_SCORED_FIRST, limit, 0);
        return new Scores(
                rows.stream().map(Row::objective).toList(),
                rows.isEmpty() ? 0 : rows.getFirst().total(),
                rows.isEmpty() ? 0 : rows.getFirst().scored());
    }

    /** The alignments among some objectives. */
    public static List<Edge> alignments(List<CycleObjective> objectives) {
        var ids = objectives.stream().map(CycleObjective::id).toList();
        return ids.isEmpty()
                ? List.of()
                : TenantSql.current()
                        .listPlanned(
                                row -> new Edge(
                                        Sql.uuid(row, "parent_objective_id"), Sql.uuid(row, "child_objective_id")),
                                ALIGNMENTS,
                                ids,
                                ids);
    }

    private static <T> List<T> rows(
            Sql.Reader<T> reader, String counts, Conditions conditions, String order, int limit, long offset) {
        var statement = LIST.formatted(counts, conditions.text, order, order);
        return TenantSql.current().listPlanned(reader, statement, conditions.parameters(limit, offset));
    }

    private static String order(Sort sort) {
        var direction = sort.descending() ? " DESC" : "";
        return expression(sort) + direction + ", o.id" + direction;
    }

    /** The same order as in the API, see {@link dev.okr.organizations.tenant.NewestFirst}. */
    private static String expression(Sort sort) {
        return "o." + sort.name() + (sort.column() == Sort.Column.TITLE ? " COLLATE \"C\"" : "");
    }

    private Object position(Sort sort) {
        return switch (sort.column()) {
            case TITLE -> title;
            case PROGRESS -> progress;
            case UPDATED_AT -> updatedAt;
            case CREATED_AT -> createdAt;
            case RECORDED_AT, DELETED_AT -> throw new IllegalArgumentException("Objectives have no " + sort.name());
        };
    }

    /** The conditions of a list, with their parameters. */
    private static final class Conditions {
        private final StringBuilder text = new StringBuilder();
        private final List<Object> parameters = new ArrayList<>();

        Conditions(UUID cycleId, Filter filter) {
            parameters.add(cycleId);
            if (filter.withoutTeam()) {
                add("o.team_id IS NULL");
            } else if (filter.teamId() != null) {
                add("o.team_id = ?", filter.teamId());
            }
            if (filter.ownerId() != null) {
                add("o.owner_id = ?", filter.ownerId());
            }
            if (filter.status() != null) {
                add("o.status = ?", EnumNames.format(filter.status()));
            }
            var patterns = filter.patterns();
            if (!patterns.isEmpty()) {
                add(CONTAINS, patterns);
            }
        }

        void add(String condition, Object... values) {
            text.append(" AND ").append(condition);
            parameters.addAll(List.of(values));
        }

        Object[] parameters(int limit, long offset) {
            return Stream.concat(parameters.stream(), Stream.of(limit, offset)).toArray();
        }
    }

    private static CycleObjective read(ResultSet row) throws SQLException {
        return new CycleObjective(
                Sql.uuid(row, "id"),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"),
                row.getString("title"),
                ObjectiveView.status(row.getString("status")),
                row.getBigDecimal("progress"),
                row.getBigDecimal("score"),
                row.getString("retrospective"),
                row.getString("owner"),
                row.getObject("team_id", UUID.class),
                row.getString("team_name"));
    }
}
