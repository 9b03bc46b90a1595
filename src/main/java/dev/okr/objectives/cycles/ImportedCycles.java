package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.objectives.moving.HashedTexts;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.ImportedCycle;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging;
import dev.okr.objectives.moving.Staging.Changed;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cycle lines of an import. A line with {@code closed_at} closes its cycle, after its content is written. No line
 * reopens a cycle. The status follows from the dates. The lock on the organisation keeps others from changing, closing
 * and deleting cycles meanwhile.
 */
public final class ImportedCycles {
    private static final int FINAL_DECIMALS = 4;

    private static final String ALL = """
            SELECT c.id, c.external_id, c.name, c.closed_at IS NOT NULL AS closed FROM cycle c
            WHERE c.organization_id = ?
            """;
    private static final String EXISTING = """
            SELECT c.id, c.external_id, c.name, c.starts_at, c.ends_at, c.closed_at, c.updated_at FROM cycle c
            WHERE c.organization_id = ? AND c.id = ANY (?::uuid[])
            """;
    private static final String INSERT = """
            INSERT INTO cycle (organization_id, id, external_id, name, starts_at, ends_at, status, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;
    private static final String UPDATE = """
            UPDATE cycle SET external_id = ?, name = ?, starts_at = ?, ends_at = ?, status = ?, updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;
    private static final String CLOSE = """
            UPDATE cycle SET closed_at = ?, final_progress = ?, updated_at = ? WHERE organization_id = ? AND id = ?
            """;
    private static final String READ = "SELECT " + Cycle.TABLE.columns("c")
            + " FROM cycle c WHERE c.organization_id = :organization AND c.id = ANY (?)";

    private final ImportSession session;
    private final HashedTexts<UUID> byName = new HashedTexts<>();
    private final HashedTexts<Boolean> seen = new HashedTexts<>();
    private final Set<UUID> matched = new HashSet<>();
    private final List<Closing> closing = new ArrayList<>();
    private int cycles;

    private record Existing(
            UUID id,
            @Nullable String externalId,
            String name,
            Instant startsAt,
            Instant endsAt,
            @Nullable Instant closedAt,
            Instant updatedAt) {
        static Existing read(ResultSet row) throws SQLException {
            return new Existing(
                    Sql.uuid(row, "id"),
                    row.getString("external_id"),
                    row.getString("name"),
                    Sql.instant(row, "starts_at"),
                    Sql.instant(row, "ends_at"),
                    Sql.instantOrNull(row, "closed_at"),
                    Sql.instant(row, "updated_at"));
        }
    }

    private record Line(
            @Nullable String id,
            FieldChange<String> externalId,
            String name,
            Instant startsAt,
            Instant endsAt,
            @Nullable Instant closedAt,
            @Nullable BigDecimal finalProgress,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {}

    /** @param updatedAt the time of the last change of the cycle */
    private record Closing(
            UUID id, boolean isNew, Instant at, @Nullable BigDecimal finalProgress, Instant updatedAt) {}

    private ImportedCycles(ImportSession session) {
        this.session = session;
    }

    /** Writes the cycles. The caller then writes their content, and calls {@link #close}. */
    public static ImportedCycles apply(ImportSession session) throws SQLException {
        var cycles = new ImportedCycles(session);
        cycles.apply();
        return cycles;
    }

    private void apply() throws SQLException {
        session.sql().each(Staging.BATCH, this::know, ALL, session.organization());
        session.each(LineType.CYCLE, this::read, this::applyAll);
    }

    private void know(ResultSet row) throws SQLException {
        cycles++;
        var id = Sql.uuid(row, "id");
        var cycle = new ImportedCycle(id, false, row.getBoolean("closed"), false);
        byName.put(folded(row.getString("name")), id);
        // An external id has priority over an id, because other systems assign it.
        session.cycles().putIfAbsent(IdKind.CYCLE.format(id), cycle);
        var externalId = row.getString("external_id");
        if (externalId != null) {
            session.cycles().put(externalId, cycle);
        }
    }

    private void applyAll(List<Read<Line>> lines) throws SQLException {
        var ids = lines.stream()
                .flatMap(each -> idOf(each.line()).stream())
                .distinct()
                .toList();
        var found = new HashMap<UUID, Existing>();
        for (var cycle : session.sql().list(Existing::read, EXISTING, session.organization(), ids)) {
            found.put(cycle.id, cycle);
        }
        for (var line : lines) {
            apply(line, found);
        }
    }

    /** The existing cycle of a line. */
    private Optional<UUID> idOf(Line line) {
        return ImportedIds.keys(line.id, line.externalId).stream()
                .flatMap(key -> Stream.ofNullable(session.cycles().get(key)))
                .findFirst()
                .map(ImportedCycle::id);
    }

    private Line read(BodyReader data) {
        data.ignore("status", "objectives_count", "overall_progress");
        var id = data.optionalKey("id");
        var externalId = data.clearableExternalId();
        ImportedIds.requireOne(data);
        var name = data.requiredTitle("name");
        var startsAt = data.requiredTimestamp("starts_at");
        var endsAt = data.requiredTimestamp("ends_at");
        if (data.isSound("starts_at", "ends_at") && !startsAt.isBefore(endsAt)) {
            data.reject("ends_at", "not_after_start", "ends_at must be later than starts_at.");
        }
        var closedAt = session.time(data, "closed_at");
        if (closedAt != null && data.isSound("ends_at") && endsAt.isAfter(session.now())) {
            data.reject("closed_at", "invalid_value", "Only a completed cycle can be closed.");
        }
        var finalProgress = data.clearableDecimal("final_progress", BigDecimal.ONE, FINAL_DECIMALS)
                .applyTo(null);
        return new Line(
                id,
                externalId,
                name,
                startsAt,
                endsAt,
                closedAt,
                finalProgress,
                session.time(data, "created_at"),
                session.time(data, "updated_at"));
    }

    private void apply(Read<Line> read, Map<UUID, Existing> ofBatch) throws SQLException {
        var line = read.line();
        int number = read.number();
        var keys = ImportedIds.keys(line.id, line.externalId);
        if (keys.stream().anyMatch(key -> seen.putIfAbsent(key, true) != null)) {
            ImportedIds.duplicate(session, number);
            return;
        }
        var found = idOf(line).map(ofBatch::get).orElse(null);
        if (found != null && !matched.add(found.id)) {
            ImportedIds.duplicate(session, number);
            return;
        }
        if (found == null && cycles >= Limit.CYCLES.value()) {
            session.errors().add(number, "", Limit.CYCLES.reached());
            return;
        }
        var sameName = byName.putIfAbsent(folded(line.name), found == null ? new UUID(0, number) : found.id);
        if (sameName != null && (found == null || !sameName.equals(found.id))) {
            session.errors()
                    .add(number, "/data/name", "conflict", "Another cycle has this name, also if the case differs.");
        }
        var id = found == null ? create(line) : found.id;
        boolean isClosed = found != null && found.closedAt != null;
        var closedAt = isClosed ? null : line.closedAt;
        boolean isClosing = closedAt != null;
        var known = new ImportedCycle(id, found == null, isClosed, isClosing);
        keys.forEach(key -> session.cycles().put(key, known));
        boolean changed = found != null && change(number, line, found);
        if (closedAt != null) {
            var updatedAt = found == null
                    ? Objects.requireNonNullElse(line.updatedAt, session.now())
                    : ImportedIds.updatedAt(session, line.updatedAt, found.updatedAt);
            closing.add(new Closing(id, found == null, closedAt, line.finalProgress, updatedAt));
        }
        session.count(found == null ? Outcome.CREATED : changed || isClosing ? Outcome.UPDATED : Outcome.UNCHANGED);
    }

    private UUID create(Line line) throws SQLException {
        cycles++;
        var createdAt = line.createdAt == null ? session.now() : line.createdAt;
        var id = session.newId(createdAt);
        if (session.writes()) {
            session.sql()
                    .update(
                            INSERT,
                            session.organization(),
                            id,
                            ImportedIds.externalId(line.id, line.externalId),
                            line.name,
                            line.startsAt,
                            line.endsAt,
                            status(line),
                            createdAt,
                            line.updatedAt == null ? createdAt : line.updatedAt);
            session.staging().addChanges(LineType.CYCLE, List.of(new Changed(id, 0, null)));
        }
        return id;
    }

    private boolean change(int number, Line line, Existing cycle) throws SQLException {
        var externalId = line.externalId.applyTo(cycle.externalId);
        boolean sameDates = line.startsAt.equals(cycle.startsAt) && line.endsAt.equals(cycle.endsAt);
        if (sameDates && line.name.equals(cycle.name) && Objects.equals(externalId, cycle.externalId)) {
            return false;
        }
        if (!sameDates && cycle.closedAt != null) {
            session.errors().add(number, "/data/starts_at", ClosedCycle.failure(IdKind.CYCLE.format(cycle.id)));
        } else if (session.writes()) {
            keepBefore(cycle.id, number);
            session.sql()
                    .update(
                            UPDATE,
                            externalId,
                            line.name,
                            line.startsAt,
                            line.endsAt,
                            status(line),
                            ImportedIds.updatedAt(session, line.updatedAt, cycle.updatedAt),
                            session.organization(),
                            cycle.id);
        }
        return true;
    }

    private void keepBefore(UUID id, int number) throws SQLException {
        var before =
                session.events().text(Objects.requireNonNull(shown(List.of(id)).get(id)));
        session.staging().addChanges(LineType.CYCLE, List.of(new Changed(id, number, before)));
    }

    private String status(Line line) {
        var now = session.now();
        return EnumNames.format(
                now.isBefore(line.startsAt)
                        ? CycleStatus.PLANNED
                        : now.isBefore(line.endsAt) ? CycleStatus.ACTIVE : CycleStatus.COMPLETED);
    }

    /** Closes cycles. Their content and their totals must be written before. */
    public void close() throws SQLException {
        for (var each : closing) {
            if (!each.isNew) {
                ClosedCycle.lock(each.id);
                keepBefore(each.id, 0);
            }
            var shown = Objects.requireNonNull(shown(List.of(each.id)).get(each.id));
            var progress = each.finalProgress == null ? shown.overallProgress() : each.finalProgress;
            session.sql().update(CLOSE, each.at, progress, each.updatedAt, session.organization(), each.id);
        }
    }

    /** Adds the events of all cycles that were created or changed. */
    public void addEvents() throws SQLException {
        session.staging().eachChange(LineType.CYCLE, changes -> {
            var shown = shown(changes.stream().map(Changed::id).toList());
            for (var change : changes) {
                var cycle = Objects.requireNonNull(shown.get(change.id()));
                if (change.before() == null) {
                    session.events().created(EventType.CYCLE_CREATED, cycle.id(), cycle);
                } else {
                    session.events().updated(EventType.CYCLE_UPDATED, cycle.id(), change.before(), cycle);
                }
            }
        });
    }

    private static Map<UUID, CycleResponse> shown(List<UUID> ids) {
        var shown = new HashMap<UUID, CycleResponse>();
        TenantSql.current()
                .list(Cycle.TABLE.reader(), READ, ids)
                .forEach(cycle -> shown.put(IdKind.CYCLE.require(cycle.id()), cycle));
        return shown;
    }

    private static String folded(String name) {
        // Folds each character, like String.equalsIgnoreCase. String.toUpperCase would turn \u00DF into SS.
        return name.codePoints()
                .map(Character::toUpperCase)
                .map(Character::toLowerCase)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
