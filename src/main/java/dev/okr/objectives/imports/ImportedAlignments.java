package dev.okr.objectives.imports;

import dev.okr.objectives.Alignment;
import dev.okr.objectives.AlignmentPaths;
import dev.okr.objectives.AlignmentResponse;
import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.Ancestors.Edge;
import dev.okr.objectives.Contributions;
import dev.okr.objectives.Objective;
import dev.okr.objectives.Weight;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.moving.Staging.Known;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The alignment lines of an import. Their two objectives identify an alignment. All alignments that are connected with
 * new ones are kept in memory to find loops and long chains. The session holds the lock on the organisation and the
 * {@code ContributionLock}, so nobody else changes alignments.
 */
final class ImportedAlignments {
    /** The limit for the stored alignments that are connected with new ones. All of them are in memory. */
    private static final int MAX_CONNECTED = 50_000;

    /** An objective can have hundreds of alignments. */
    private static final int OBJECTIVES_AT_ONCE = 100;

    // Finds each pair by itself. All alignments between the objectives of a batch may not fit into memory.
    private static final String EXISTING = """
            SELECT %s FROM unnest(?::uuid[], ?::uuid[]) AS pair (parent, child) CROSS JOIN LATERAL (
                SELECT * FROM alignment t WHERE t.organization_id = :organization
                    AND t.parent_objective_id = pair.parent AND t.child_objective_id = pair.child LIMIT 1) a
            """.formatted(Alignment.table().columns("a"));
    private static final String CLOSED = """
            SELECT o.id, o.cycle_id FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?)
                AND (SELECT c.closed_at FROM cycle c WHERE c.organization_id = :organization AND c.id = o.cycle_id)
                    IS NOT NULL
            """;
    private static final String NEIGHBOURS = """
            SELECT a.parent_objective_id AS parent, a.child_objective_id AS child, a.alignment_type FROM alignment a
            WHERE a.organization_id = :organization AND a.%s_objective_id = ANY (?)
            """;
    private static final String ABOVE = NEIGHBOURS.formatted("child");
    private static final String BELOW = NEIGHBOURS.formatted("parent");
    private static final String UPDATE =
            "UPDATE alignment SET weight = ?, updated_at = ? WHERE organization_id = ? AND id = ?";

    private final ImportSession session;
    private final Set<Edge> seen = new HashSet<>();
    private final List<New> added = new ArrayList<>();
    private final Set<UUID> existingObjectives = new LinkedHashSet<>();

    private record Line(
            String parent,
            String child,
            AlignmentType type,
            FieldChange<BigDecimal> weight,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {}

    private record New(
            int line, Edge edge, AlignmentType type, BigDecimal weight, Instant createdAt, Instant updatedAt) {
        boolean contributes() {
            return type == AlignmentType.CONTRIBUTES_TO;
        }
    }

    /** An alignment of the organisation or of the file. */
    private record Typed(Edge edge, boolean contributes) {
        static Typed read(ResultSet row) throws SQLException {
            return new Typed(
                    new Edge(Sql.uuid(row, "parent"), Sql.uuid(row, "child")),
                    row.getString("alignment_type").equals(EnumNames.format(AlignmentType.CONTRIBUTES_TO)));
        }
    }

    private ImportedAlignments(ImportSession session) {
        this.session = session;
    }

    static void apply(ImportSession session) throws SQLException {
        var alignments = new ImportedAlignments(session);
        session.each(LineType.ALIGNMENT, alignments::read, alignments::apply);
        if (!alignments.added.isEmpty()) {
            alignments.check();
            if (session.writes()) {
                alignments.write();
            }
        }
    }

    private Line read(BodyReader data) {
        data.ignore("id");
        var parent = data.requiredKey("parent_objective_id");
        var child = data.requiredKey("child_objective_id");
        var type = data.optionalConstant("alignment_type", AlignmentType.class);
        return new Line(
                parent,
                child,
                type == null ? AlignmentType.SUPPORTS : type,
                Weight.readChange(data),
                session.time(data, "created_at"),
                session.time(data, "updated_at"));
    }

    private void apply(List<Read<Line>> lines) throws SQLException {
        var refs = lines.stream()
                .flatMap(each -> Stream.of(each.line().parent, each.line().child))
                .distinct()
                .toList();
        var objectives = ImportedRows.resolve(session, LineType.OBJECTIVE, Objective.table(), IdKind.OBJECTIVE, refs);
        var ids = objectives.values().stream().map(Known::id).distinct().toList();
        var existing = new HashMap<Edge, AlignmentResponse>();
        var closed = new HashMap<UUID, UUID>();
        if (!ids.isEmpty()) {
            var pairs = lines.stream()
                    .flatMap(each -> pair(objectives.get(each.line().parent), objectives.get(each.line().child)))
                    .toList();
            TenantSql.current()
                    .listPlanned(
                            Alignment.table().reader(),
                            EXISTING,
                            pairs.stream().map(Edge::parent).toList(),
                            pairs.stream().map(Edge::child).toList())
                    .forEach(each -> existing.put(
                            new Edge(
                                    IdKind.OBJECTIVE.require(each.parentObjectiveId()),
                                    IdKind.OBJECTIVE.require(each.childObjectiveId())),
                            each));
            TenantSql.current()
                    .listPlanned(row -> closed.put(Sql.uuid(row, "id"), Sql.uuid(row, "cycle_id")), CLOSED, ids);
        }
        for (var read : lines) {
            apply(read, objectives, existing, closed);
        }
    }

    private static Stream<Edge> pair(@Nullable Known parent, @Nullable Known child) {
        return parent == null || child == null ? Stream.empty() : Stream.of(new Edge(parent.id(), child.id()));
    }

    private void apply(
            Read<Line> read,
            Map<String, Known> objectives,
            Map<Edge, AlignmentResponse> existing,
            Map<UUID, UUID> closed)
            throws SQLException {
        var line = read.line();
        var parent = known(read.number(), "parent_objective_id", line.parent, objectives);
        var child = known(read.number(), "child_objective_id", line.child, objectives);
        if (parent == null || child == null) {
            return;
        }
        var edge = new Edge(parent.id(), child.id());
        if (edge.parent().equals(edge.child())) {
            session.errors()
                    .add(
                            read.number(),
                            "/data/child_objective_id",
                            "equals_parent",
                            "An objective cannot be aligned with itself.");
            return;
        }
        if (!seen.add(edge)) {
            session.errors().add(read.number(), "/data", "duplicate", "Another line aligns the same objectives.");
            return;
        }
        var stored = existing.get(edge);
        var cycle = closed.get(edge.child());
        if (stored != null) {
            change(read.number(), line, stored, cycle, edge);
            return;
        }
        session.count(Outcome.CREATED);
        if (cycle != null) {
            session.errors()
                    .add(read.number(), "/data/child_objective_id", ClosedCycle.failure(IdKind.CYCLE.format(cycle)));
            return;
        }
        Stream.of(parent, child).filter(each -> !each.isNew()).map(Known::id).forEach(existingObjectives::add);
        var createdAt = line.createdAt == null ? session.now() : line.createdAt;
        added.add(new New(
                read.number(),
                edge,
                line.type,
                line.weight.orElse(Weight.DEFAULT),
                createdAt,
                line.updatedAt == null ? createdAt : line.updatedAt));
    }

    private @Nullable Known known(int number, String field, String ref, Map<String, Known> objectives) {
        var known = objectives.get(ref);
        if (known == null) {
            session.unknown(number, field, IdKind.OBJECTIVE);
        }
        return known;
    }

    private void change(int number, Line line, AlignmentResponse stored, @Nullable UUID closed, Edge edge)
            throws SQLException {
        if (stored.alignmentType() != line.type) {
            session.errors()
                    .add(number, "/data/alignment_type", "invalid_value", "The alignment exists with another type.");
            return;
        }
        var weight = line.weight.orElse(stored.weight());
        if (weight.compareTo(stored.weight()) == 0) {
            session.count(Outcome.UNCHANGED);
            return;
        }
        session.count(Outcome.UPDATED);
        if (closed != null) {
            session.errors().add(number, "", ClosedCycle.failure(IdKind.CYCLE.format(closed)));
        } else if (session.writes()) {
            var id = IdKind.ALIGNMENT.require(stored.id());
            var updatedAt = ImportedIds.updatedAt(session, line.updatedAt, stored.updatedAt());
            session.sql().update(UPDATE, weight, updatedAt, session.organization(), id);
            session.staging()
                    .addChanges(
                            LineType.ALIGNMENT,
                            List.of(new Changed(id, number, session.events().text(stored))));
            session.staging().addProgress(List.of(edge.parent()), false);
        }
    }

    private void check() {
        var all = new ArrayList<>(connected());
        if (all.size() > MAX_CONNECTED) {
            session.errors()
                    .add(
                            added.getLast().line,
                            "",
                            "limit_reached",
                            "The new alignments are connected with more than " + MAX_CONNECTED + " others.");
            return;
        }
        requireRoom(all);
        added.forEach(each -> all.add(new Typed(each.edge, each.contributes())));
        var paths = new AlignmentPaths(all.stream().map(Typed::edge).toList());
        var contributing =
                all.stream().filter(Typed::contributes).map(Typed::edge).toList();
        var contributions = new AlignmentPaths(contributing);
        if (added.stream().anyMatch(New::contributes)
                && contributions.areMoreAboveOne(Limit.CONTRIBUTIONS_ABOVE.value())) {
            session.errors().add(added.getLast().line, "", Limit.CONTRIBUTIONS_ABOVE.reached());
        }
        for (var each : added) {
            if (paths.isInLoop(each.edge)) {
                session.errors()
                        .add(each.line, "/data/child_objective_id", "conflict", "The alignment would close a loop.");
            } else {
                requireShort(each, paths, Limit.ALIGNMENT_DEPTH);
                if (each.contributes()) {
                    requireShort(each, contributions, Limit.CONTRIBUTION_DEPTH);
                }
            }
        }
    }

    private void requireShort(New each, AlignmentPaths paths, Limit limit) {
        if (paths.longestChain(each.edge) > limit.value()) {
            session.errors().add(each.line, "/data/child_objective_id", limit.reached());
        }
    }

    /**
     * The stored alignments below the objectives that existed before, and those above all of these objectives. The new
     * alignments are also above the objectives below.
     */
    private Set<Typed> connected() {
        var found = new LinkedHashSet<Typed>();
        var below = collect(BELOW, existingObjectives, found, false);
        collect(ABOVE, below, found, true);
        return found;
    }

    /** Returns the given objectives and those that the alignments reach. */
    private static Set<UUID> collect(String statement, Set<UUID> from, Set<Typed> found, boolean isAbove) {
        var visited = new LinkedHashSet<>(from);
        var next = new ArrayList<>(from);
        for (int i = 0; i < next.size() && found.size() <= MAX_CONNECTED; ) {
            int end = Math.min(i + OBJECTIVES_AT_ONCE, next.size());
            var batch = List.copyOf(next.subList(i, end));
            for (var each : TenantSql.current().listPlanned(Typed::read, statement, batch)) {
                found.add(each);
                var reached = isAbove ? each.edge.parent() : each.edge.child();
                if (visited.add(reached)) {
                    next.add(reached);
                }
            }
            i = end;
        }
        return visited;
    }

    private void requireRoom(List<Typed> stored) {
        var children = new HashMap<UUID, Integer>();
        var parents = new HashMap<UUID, Integer>();
        var contributing = new HashMap<UUID, Integer>();
        stored.forEach(each -> {
            children.merge(each.edge.parent(), 1, Integer::sum);
            parents.merge(each.edge.child(), 1, Integer::sum);
            if (each.contributes) {
                contributing.merge(each.edge.parent(), 1, Integer::sum);
            }
        });
        for (var each : added) {
            requireRoom(
                    each.line,
                    "parent",
                    children.merge(each.edge.parent(), 1, Integer::sum),
                    Limit.ALIGNMENTS_PER_OBJECTIVE);
            requireRoom(
                    each.line,
                    "child",
                    parents.merge(each.edge.child(), 1, Integer::sum),
                    Limit.ALIGNMENTS_PER_OBJECTIVE);
            if (each.contributes()) {
                int count = contributing.merge(each.edge.parent(), 1, Integer::sum);
                requireRoom(each.line, "parent", count, Limit.CONTRIBUTING_CHILDREN);
            }
        }
    }

    private void requireRoom(int line, String end, int count, Limit limit) {
        if (count > limit.value()) {
            session.errors().add(line, "/data/" + end + "_objective_id", limit.reached());
        }
    }

    private void write() throws SQLException {
        for (int i = 0; i < added.size(); i += Staging.BATCH) {
            write(added.subList(i, Math.min(i + Staging.BATCH, added.size())));
        }
    }

    private void write(List<New> batch) throws SQLException {
        var contributing = batch.stream()
                .filter(New::contributes)
                .flatMap(each -> Stream.of(each.edge.parent(), each.edge.child()))
                .distinct()
                .toList();
        Contributions.lock(contributing);
        var rows = new ArrayList<@Nullable Object[]>();
        var changes = new ArrayList<Changed>();
        for (var each : batch) {
            var id = session.newId(each.createdAt);
            rows.add(new @Nullable Object[] {
                session.organization(),
                id,
                each.edge.parent(),
                each.edge.child(),
                EnumNames.format(each.type),
                each.weight,
                each.createdAt,
                each.updatedAt
            });
            changes.add(new Changed(id, each.line, null));
        }
        session.sql().copy("alignment", ImportedRows.columns(Alignment.table()), rows);
        session.staging().addChanges(LineType.ALIGNMENT, changes);
        Contributions.begin(contributing);
        session.staging()
                .addProgress(
                        batch.stream()
                                .filter(New::contributes)
                                .map(each -> each.edge.parent())
                                .toList(),
                        false);
    }
}
