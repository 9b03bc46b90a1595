package dev.okr.objectives.imports;

import dev.okr.objectives.Objective;
import dev.okr.objectives.ObjectiveResponse;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.ImportedCycle;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.moving.Staging.Copy;
import dev.okr.objectives.moving.Staging.Known;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.http.Words;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The objective lines of an import. The rows of existing objectives are locked. Progress is calculated later, except
 * for objectives of cycles that the import closes. Those objectives keep the progress of their lines.
 */
final class ImportedObjectives {
    private static final String LOCK =
            "SELECT " + Objective.table().columns("e") + ", c.closed_at IS NOT NULL AS closed FROM "
                    + ImportedRows.keyed(Objective.table(), "FOR NO KEY UPDATE")
                    + " LEFT JOIN cycle c ON c.organization_id = :organization AND c.id = e.cycle_id";
    // A copy that moves gets its original back at the end. Until then, other copies can move in any order.
    private static final String UPDATE = """
            UPDATE objective SET external_id = ?, title = ?, description = ?, owner_id = ?, cycle_id = ?,
                carried_over_from = CASE WHEN cycle_id = ? THEN carried_over_from END, team_id = ?,
                status = ?, score = ?, retrospective = ?, updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;
    private static final String SET_ORIGINAL = """
            UPDATE objective SET carried_over_from = ?
            WHERE organization_id = ? AND id = ? AND carried_over_from IS NULL
            """;
    private static final String COPIES = """
            SELECT o.id, o.cycle_id, o.carried_over_from FROM objective o
            WHERE o.organization_id = :organization
                AND o.cycle_id = ANY (?::uuid[]) AND o.carried_over_from = ANY (?::uuid[])
            """;
    private static final String COUNT = """
            SELECT coalesce(sum(t.objectives), 0) FROM cycle_totals t WHERE t.organization_id = ? AND t.cycle_id = ?
            """;
    private static final int PROGRESS_DECIMALS = 4;
    private static final int SCORE_DECIMALS = 2;

    private final ImportSession session;
    private final CycleTotals.Sums totals;

    /** The number of objectives that the import adds to each cycle, and the first line of each. */
    private final Map<UUID, Added> added = new HashMap<>();

    private record Added(int line, boolean isNew, int objectives) {
        Added plus(Added other) {
            return new Added(line, isNew, objectives + other.objectives);
        }
    }

    private record Existing(UUID id, ObjectiveResponse shown, boolean isClosed) {
        static Existing read(ResultSet row) throws SQLException {
            return new Existing(Sql.uuid(row, "id"), ObjectiveResponse.read(row), row.getBoolean("closed"));
        }
    }

    private record Line(
            @Nullable String id,
            FieldChange<String> externalId,
            String title,
            FieldChange<String> description,
            @Nullable String ownerEmail,
            @Nullable String ownerId,
            String cycleId,
            FieldChange<String> teamId,
            @Nullable BigDecimal progress,
            FieldChange<ObjectiveStatus> status,
            FieldChange<BigDecimal> score,
            FieldChange<String> retrospective,
            @Nullable String carriedOverFrom,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {
        List<String> keys() {
            return ImportedIds.keys(id, externalId);
        }
    }

    /** The resources that a line refers to. */
    private record References(
            ImportedCycle cycle,
            FieldChange<UUID> team,
            @Nullable UUID owner) {}

    private record CopyInCycle(UUID cycle, UUID original) {}

    /** The rows of a batch. */
    private final class Rows {
        private final List<@Nullable Object[]> objectives = new ArrayList<>();
        private final List<@Nullable Object[]> words = new ArrayList<>();
        private final List<Sql.Write> updates = new ArrayList<>();
        private final List<Changed> changes = new ArrayList<>();
        private final List<Copy> copies = new ArrayList<>();
        private final List<UUID> calculated = new ArrayList<>();
        private final List<UUID> finished = new ArrayList<>();

        void write() throws SQLException {
            session.sql().copy("objective", ImportedRows.columns(Objective.table()), objectives);
            session.sql().copy(Objective.words().name(), ImportedRows.WORD_COLUMNS, words);
            session.sql().updateAll(updates);
            session.staging().addChanges(LineType.OBJECTIVE, changes);
            session.staging().addProgress(finished, true);
            session.staging().addProgress(calculated, false);
        }
    }

    private ImportedObjectives(ImportSession session, CycleTotals.Sums totals) {
        this.session = session;
        this.totals = totals;
    }

    static void apply(ImportSession session, CycleTotals.Sums totals) throws SQLException {
        var objectives = new ImportedObjectives(session, totals);
        session.each(LineType.OBJECTIVE, objectives::read, objectives::apply);
        objectives.requireRoom();
        session.staging().eachCopy(objectives::setOriginals);
    }

    private Line read(BodyReader data) {
        var id = data.optionalKey("id");
        var externalId = data.clearableExternalId();
        ImportedIds.requireOne(data);
        return new Line(
                id,
                externalId,
                data.requiredTitle("title"),
                data.clearableNote("description"),
                ImportedRows.email(data, "owner_email"),
                data.optionalKey("owner_id"),
                data.requiredKey("cycle_id"),
                data.clearableKey("team_id"),
                data.clearableDecimal("progress", BigDecimal.ONE, PROGRESS_DECIMALS)
                        .applyTo(null),
                data.changedConstant("status", ObjectiveStatus.class),
                data.clearableDecimal("score", BigDecimal.ONE, SCORE_DECIMALS),
                data.clearableNote("retrospective"),
                data.optionalKey("carried_over_from"),
                session.time(data, "created_at"),
                session.time(data, "updated_at"));
    }

    private void apply(List<Read<Line>> lines) throws SQLException {
        var keys = lines.stream().flatMap(each -> each.line().keys().stream()).toList();
        var taken = session.staging().find(LineType.OBJECTIVE, keys);
        var found = ImportedRows.find(
                TenantSql.current().listPlanned(Existing::read, LOCK, keys, ImportedRows.ids(IdKind.OBJECTIVE, keys)),
                each -> each.shown.externalId(),
                each -> each.shown.id());
        var ids = new HashMap<String, Known>();
        var rows = new Rows();
        for (var read : lines) {
            var line = read.line();
            var existing = ImportedRows.first(line.keys(), found);
            boolean isDuplicate = line.keys().stream().anyMatch(key -> taken.containsKey(key) || ids.containsKey(key));
            if (isDuplicate) {
                ImportedIds.duplicate(session, read.number());
                continue;
            }
            var createdAt = line.createdAt == null ? session.now() : line.createdAt;
            var known = existing == null ? new Known(session.newId(createdAt), true) : new Known(existing.id, false);
            line.keys().forEach(key -> ids.put(key, known));
            if (existing != null) {
                // Another line could refer to the same row by another key.
                ImportedRows.putKeys(ids, known, existing.shown.id(), existing.shown.externalId());
            }
            var references = references(read.number(), line);
            if (references == null) {
                continue;
            }
            if (existing == null) {
                create(read.number(), known.id(), line, references, createdAt, rows);
            } else {
                change(read.number(), existing, line, references, rows);
            }
            // As in the API, the original of an existing objective never changes.
            if (line.carriedOverFrom != null && existing == null && !line.keys().contains(line.carriedOverFrom)) {
                rows.copies.add(
                        new Copy(known.id(), read.number(), references.cycle.id(), line.carriedOverFrom, false));
            }
        }
        session.staging().addIds(LineType.OBJECTIVE, ids);
        session.staging().addCopies(rows.copies);
        if (session.writes()) {
            rows.write();
        }
    }

    private @Nullable References references(int number, Line line) {
        var cycle = session.cycles().get(line.cycleId);
        if (cycle == null) {
            session.unknown(number, "cycle_id", IdKind.CYCLE);
        }
        FieldChange<UUID> team = new FieldChange.Unchanged<>();
        if (line.teamId instanceof FieldChange.Cleared) {
            team = new FieldChange.Cleared<>();
        } else if (line.teamId instanceof FieldChange.Set<String>(var ref)) {
            var known = session.teams().get(ref);
            if (known == null) {
                session.unknown(number, "team_id", IdKind.TEAM);
            } else {
                team = new FieldChange.Set<>(known);
            }
        }
        var owner = session.user(number, "owner", line.ownerEmail, line.ownerId);
        return cycle == null ? null : new References(cycle, team, owner);
    }

    private void create(int number, UUID id, Line line, References references, Instant createdAt, Rows rows) {
        var cycle = references.cycle;
        session.count(Outcome.CREATED);
        if (cycle.isClosed()) {
            session.errors().add(number, "/data/cycle_id", ClosedCycle.failure(IdKind.CYCLE.format(cycle.id())));
            return;
        }
        added.merge(cycle.id(), new Added(number, cycle.isNew(), 1), Added::plus);
        boolean isFinal = cycle.isClosing() && line.progress != null;
        var progress = isFinal ? Objects.requireNonNull(line.progress) : Progress.NONE;
        var description = line.description.applyTo(null);
        rows.objectives.add(new @Nullable Object[] {
            session.organization(),
            id,
            ImportedIds.externalId(line.id, line.externalId),
            line.title,
            description,
            references.owner == null ? session.author() : references.owner,
            cycle.id(),
            references.team.applyTo(null),
            progress,
            EnumNames.format(line.status.orElse(ObjectiveStatus.NOT_STARTED)),
            line.score.applyTo(null),
            line.retrospective.applyTo(null),
            null,
            createdAt,
            line.updatedAt == null ? createdAt : line.updatedAt
        });
        rows.words.add(new @Nullable Object[] {
            session.organization(),
            id,
            createdAt,
            Words.of(line.title, description).vector(session.organization())
        });
        rows.changes.add(new Changed(id, number, null));
        (isFinal ? rows.finished : rows.calculated).add(id);
        totals.add(CycleTotals.Change.added(id, cycle.id(), progress));
    }

    private void change(int number, Existing existing, Line line, References references, Rows rows)
            throws SQLException {
        var shown = existing.shown;
        var cycle = references.cycle;
        var team = references.team.applyTo(shown.teamId() == null ? null : IdKind.TEAM.require(shown.teamId()));
        var changed = new ObjectiveResponse(
                shown.id(),
                line.externalId.applyTo(shown.externalId()),
                line.title,
                line.description.applyTo(shown.description()),
                references.owner == null ? shown.ownerId() : IdKind.USER.format(references.owner),
                IdKind.CYCLE.format(cycle.id()),
                team == null ? null : IdKind.TEAM.format(team),
                shown.progress(),
                line.status.orElse(shown.status()),
                ImportedRows.same(shown.score(), line.score.applyTo(shown.score())),
                line.retrospective.applyTo(shown.retrospective()),
                shown.carriedOverFrom(),
                shown.createdAt(),
                shown.updatedAt());
        if (changed.equals(shown)) {
            session.count(Outcome.UNCHANGED);
            return;
        }
        session.count(Outcome.UPDATED);
        if (existing.isClosed || (cycle.isClosed() && !changed.cycleId().equals(shown.cycleId()))) {
            var closed = existing.isClosed ? shown.cycleId() : changed.cycleId();
            session.errors().add(number, "", ClosedCycle.failure(closed));
            return;
        }
        if (!changed.cycleId().equals(shown.cycleId())) {
            if (shown.carriedOverFrom() != null) {
                rows.copies.add(new Copy(existing.id, number, cycle.id(), shown.carriedOverFrom(), true));
            }
            added.merge(cycle.id(), new Added(number, cycle.isNew(), 1), Added::plus);
            totals.add(
                    CycleTotals.Change.removed(existing.id, IdKind.CYCLE.require(shown.cycleId()), shown.progress()));
            totals.add(CycleTotals.Change.added(existing.id, cycle.id(), shown.progress()));
        }
        if (session.writes()
                && (!changed.title().equals(shown.title())
                        || !Objects.equals(changed.description(), shown.description()))) {
            Objective.words().put(existing.id, shown.createdAt(), changed.title(), changed.description());
        }
        rows.updates.add(new Sql.Write(
                UPDATE,
                changed.externalId(),
                changed.title(),
                changed.description(),
                IdKind.USER.require(changed.ownerId()),
                cycle.id(),
                cycle.id(),
                team,
                EnumNames.format(changed.status()),
                changed.score(),
                changed.retrospective(),
                ImportedIds.updatedAt(session, line.updatedAt, shown.updatedAt()),
                session.organization(),
                existing.id));
        rows.changes.add(new Changed(existing.id, number, session.events().text(shown)));
        rows.calculated.add(existing.id);
    }

    /**
     * See {@link Objective#requireRoomForCopiesIn}. Because of the lock on the organisation, only one import counts at
     * a time.
     */
    private void requireRoom() throws SQLException {
        for (var each : added.entrySet()) {
            var cycle = each.getValue();
            try {
                if (!cycle.isNew && session.writes()) {
                    Objective.requireRoomForCopiesIn(each.getKey(), cycle.objectives);
                } else {
                    long present = session.sql()
                            .first(row -> row.getLong(1), COUNT, session.organization(), each.getKey())
                            .orElse(0L);
                    Limit.OBJECTIVES_PER_CYCLE.requireRoom(present + cycle.objectives - 1);
                }
            } catch (Failure failure) {
                session.errors().add(cycle.line, "/data/cycle_id", failure);
            }
        }
    }

    /**
     * Sets the originals of new copies and of copies that move to another cycle. After all lines, each cycle has at
     * most one copy of an original. The order of the lines does not matter. If the original of a new copy is deleted or
     * missing in the file, the copy does not show it.
     */
    private void setOriginals(List<Copy> copies) throws SQLException {
        var refs = copies.stream()
                .filter(copy -> !copy.isMoved())
                .map(Copy::ref)
                .distinct()
                .toList();
        var inFile = session.staging().find(LineType.OBJECTIVE, refs);
        var originals = new HashMap<Copy, UUID>();
        for (var copy : copies) {
            if (copy.isMoved()) {
                originals.put(copy, IdKind.OBJECTIVE.require(copy.ref()));
            } else if (inFile.get(copy.ref()) instanceof Known original) {
                originals.put(copy, original.id());
            }
        }
        var taken = copiesInCycles(copies.stream().map(Copy::target).distinct().toList(), originals.values());
        var writes = new ArrayList<Sql.Write>();
        for (var copy : copies) {
            var original = originals.get(copy);
            if (original == null) {
                continue;
            }
            if (taken.add(new CopyInCycle(copy.target(), original))) {
                writes.add(new Sql.Write(SET_ORIGINAL, original, session.organization(), copy.id()));
            } else {
                session.errors()
                        .add(
                                copy.line(),
                                copy.isMoved() ? "/data/cycle_id" : "/data/carried_over_from",
                                "duplicate",
                                "The cycle has another copy of the same objective.");
            }
        }
        if (session.writes()) {
            session.sql().updateAll(writes);
        }
    }

    /**
     * The copies that cycles have already. After an error, copies that move are left out, because their rows may still
     * have the old cycle.
     */
    private Set<CopyInCycle> copiesInCycles(Collection<UUID> cycles, Collection<UUID> originals) throws SQLException {
        var found = new HashMap<UUID, CopyInCycle>();
        TenantSql.current()
                .listPlanned(
                        row -> found.put(
                                Sql.uuid(row, "id"),
                                new CopyInCycle(Sql.uuid(row, "cycle_id"), Sql.uuid(row, "carried_over_from"))),
                        COPIES,
                        cycles,
                        originals);
        if (!session.writes()) {
            session.staging().movedCopies(found.keySet()).forEach(found::remove);
        }
        return new HashSet<>(found.values());
    }
}
