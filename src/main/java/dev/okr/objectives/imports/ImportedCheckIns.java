package dev.okr.objectives.imports;

import dev.okr.objectives.CheckIn;
import dev.okr.objectives.CheckIn.Recording;
import dev.okr.objectives.CheckInResponse;
import dev.okr.objectives.CreateCheckIn;
import dev.okr.objectives.KeyResult;
import dev.okr.objectives.KeyResultResponse;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.moving.Staging.Known;
import dev.okr.objectives.moving.Staging.Value;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The check-in lines of an import. The rows of existing objectives are locked. {@link ImportedValues} later sets the
 * current values of the key results.
 */
final class ImportedCheckIns {
    private static final String EXISTING =
            "SELECT " + CheckIn.TABLE.columns("e") + " FROM " + ImportedRows.keyed(CheckIn.TABLE, "");
    private static final String KEY_RESULTS = """
            SELECT k.id, k.objective_id, k.metric_type, o.cycle_id, c.closed_at IS NOT NULL AS closed FROM key_result k
            LEFT JOIN objective o ON o.organization_id = :organization AND o.id = k.objective_id
            LEFT JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            WHERE k.organization_id = :organization AND k.id = ANY (?)
            """;
    private static final String BEFORE =
            "SELECT " + KeyResult.TABLE.columns("e") + " FROM " + ImportedRows.withIds(KeyResult.TABLE);
    private static final String UPDATE = """
            UPDATE check_in
            SET external_id = ?, value = ?, note = ?, confidence = ?, recorded_at = ?, author_id = ?, updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;

    private static final String UPDATE_COUNTS = """
            UPDATE key_result k SET check_ins = v.check_ins FROM unnest(?::uuid[], ?::integer[]) AS v (id, check_ins)
            WHERE k.organization_id = ? AND k.id = v.id
            """;

    private final ImportSession session;
    private final int limit = Limit.CHECK_INS_PER_KEY_RESULT.value();

    private record Line(
            @Nullable String id,
            FieldChange<String> externalId,
            String keyResultId,
            BigDecimal value,
            FieldChange<String> note,
            FieldChange<Integer> confidence,
            @Nullable String authorEmail,
            @Nullable String authorId,
            Instant recordedAt,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {
        List<String> keys() {
            return ImportedIds.keys(id, externalId);
        }
    }

    private record Inside(UUID objective, MetricType metricType, UUID cycle, boolean isClosed) {
        static Inside read(ResultSet row) throws SQLException {
            return new Inside(
                    Sql.uuid(row, "objective_id"),
                    EnumNames.parse(MetricType.class, row.getString("metric_type"))
                            .orElseThrow(),
                    Sql.uuid(row, "cycle_id"),
                    row.getBoolean("closed"));
        }
    }

    /** The rows of a batch. */
    private final class Rows {
        private final List<@Nullable Object[]> checkIns = new ArrayList<>();
        private final List<Sql.Write> updates = new ArrayList<>();
        private final List<Changed> changes = new ArrayList<>();
        private final Set<UUID> oldKeyResults = new HashSet<>();

        /** The number of check-ins of the key results to which some are added. */
        private final Map<UUID, Integer> counts = new HashMap<>();

        /** The import writes the value of a new key result anyway. */
        void add(Known keyResult) {
            if (!keyResult.isNew()) {
                oldKeyResults.add(keyResult.id());
            }
        }

        void write() throws SQLException {
            // Read before the check-ins change, because a key result shows the confidence of its last check-in.
            var before = TenantSql.current().listPlanned(KeyResult.TABLE.reader(), BEFORE, List.copyOf(oldKeyResults));
            // Updates come first, because a new check-in may have the former time of a changed one.
            session.sql().updateAll(updates);
            session.sql().copy("check_in", ImportedRows.columns(CheckIn.TABLE), checkIns);
            if (!counts.isEmpty()) {
                session.sql()
                        .update(
                                UPDATE_COUNTS,
                                List.copyOf(counts.keySet()),
                                List.copyOf(counts.values()),
                                session.organization());
            }
            session.staging().addChanges(LineType.CHECK_IN, changes);
            session.staging()
                    .addChanges(
                            LineType.KEY_RESULT,
                            before.stream().map(this::changed).toList());
            session.staging()
                    .addValues(before.stream()
                            .map(each -> new Value(id(each), false, false, each.confidence()))
                            .toList());
        }

        private Changed changed(KeyResultResponse before) {
            return new Changed(id(before), 0, session.events().text(before));
        }

        private static UUID id(KeyResultResponse keyResult) {
            return IdKind.KEY_RESULT.require(keyResult.id());
        }
    }

    private ImportedCheckIns(ImportSession session) {
        this.session = session;
    }

    static void apply(ImportSession session) throws SQLException {
        var checkIns = new ImportedCheckIns(session);
        session.each(LineType.CHECK_IN, checkIns::read, checkIns::apply);
    }

    private Line read(BodyReader data) {
        data.ignore("objective_id");
        var id = data.optionalKey("id");
        var externalId = data.clearableExternalId();
        ImportedIds.requireOne(data);
        var keyResultId = data.requiredKey("key_result_id");
        var value = data.requiredDecimal("value");
        var note = data.clearableNote("note");
        var confidence = data.clearableInteger("confidence", 0, CreateCheckIn.MAX_CONFIDENCE);
        var createdAt = session.time(data, "created_at");
        var recordedAt = session.time(data, "recorded_at");
        if (recordedAt == null && createdAt == null) {
            data.reject("recorded_at", "required", "A check-in needs the time of its value.");
        }
        return new Line(
                id,
                externalId,
                keyResultId,
                value,
                note,
                confidence,
                ImportedRows.email(data, "author_email"),
                data.optionalKey("author_id"),
                Objects.requireNonNullElse(recordedAt, Objects.requireNonNullElse(createdAt, session.now())),
                createdAt,
                session.time(data, "updated_at"));
    }

    private void apply(List<Read<Line>> lines) throws SQLException {
        var keys = lines.stream().flatMap(each -> each.line().keys().stream()).toList();
        var taken = session.staging().find(LineType.CHECK_IN, keys);
        var keyResults = ImportedRows.resolve(
                session,
                LineType.KEY_RESULT,
                KeyResult.TABLE,
                IdKind.KEY_RESULT,
                lines.stream().map(each -> each.line().keyResultId).distinct().toList());
        var inside = inside(keyResults.values());
        // A new statement sees the commits of the previous holders of the locks.
        var counts = KeyResult.countCheckIns(inside.keySet());
        var found = ImportedRows.find(
                TenantSql.current()
                        .listPlanned(CheckIn.TABLE.reader(), EXISTING, keys, ImportedRows.ids(IdKind.CHECK_IN, keys)),
                CheckInResponse::externalId,
                CheckInResponse::id);
        var recordings = recordings(lines, keyResults);
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
            var known = existing == null
                    ? new Known(session.newId(line.recordedAt), true)
                    : new Known(IdKind.CHECK_IN.require(existing.id()), false);
            line.keys().forEach(key -> ids.put(key, known));
            if (existing != null) {
                // Another line could refer to the same row by another key.
                ImportedRows.putKeys(ids, known, existing.id(), existing.externalId());
            }
            var author = session.user(read.number(), "author", line.authorEmail, line.authorId);
            var keyResult = keyResults.get(line.keyResultId);
            if (keyResult == null) {
                session.unknown(read.number(), "key_result_id", IdKind.KEY_RESULT);
                continue;
            }
            var of = inside.get(keyResult.id());
            if (isPossible(read.number(), line, keyResult.id(), known.id(), of, recordings)) {
                if (existing == null) {
                    create(read.number(), known.id(), line, keyResult, of, counts, author, rows);
                } else {
                    change(read.number(), known.id(), existing, line, keyResult, of, author, rows);
                }
            }
        }
        session.staging().addIds(LineType.CHECK_IN, ids);
        if (session.writes()) {
            rows.write();
        }
    }

    /** Reads the objectives of key results, and locks those that existed before. */
    private static Map<UUID, Inside> inside(Collection<Known> keyResults) {
        var inside = new HashMap<UUID, Inside>();
        var ids = keyResults.stream().map(Known::id).distinct().toList();
        if (!ids.isEmpty()) {
            TenantSql.current().listPlanned(row -> inside.put(Sql.uuid(row, "id"), Inside.read(row)), KEY_RESULTS, ids);
        }
        ImportedRows.lock(keyResults.stream()
                .filter(each -> !each.isNew())
                .flatMap(each -> Stream.ofNullable(inside.get(each.id())))
                .map(Inside::objective)
                .distinct()
                .toList());
        return inside;
    }

    /** The check-ins that have the time of a line already, also those of earlier batches. */
    private static Map<Recording, UUID> recordings(List<Read<Line>> lines, Map<String, Known> keyResults) {
        var ids = new ArrayList<UUID>();
        var times = new ArrayList<Instant>();
        for (var read : lines) {
            var keyResult = keyResults.get(read.line().keyResultId);
            if (keyResult != null) {
                ids.add(keyResult.id());
                times.add(read.line().recordedAt);
            }
        }
        var found = new HashMap<Recording, UUID>();
        if (!ids.isEmpty()) {
            TenantSql.current()
                    .listPlanned(
                            row -> found.put(
                                    recording(Sql.uuid(row, "key_result_id"), Sql.instant(row, "recorded_at")),
                                    Sql.uuid(row, "id")),
                            CheckIn.FIND_RECORDED_AT,
                            ids,
                            times);
        }
        return found;
    }

    private static Recording recording(UUID keyResult, Instant at) {
        return new Recording(IdKind.KEY_RESULT.format(keyResult), at);
    }

    /**
     * Checks the rules that depend on the key result. After an error, new key results are not written, so their metric
     * type is not checked.
     */
    private boolean isPossible(
            int number, Line line, UUID keyResult, UUID id, @Nullable Inside inside, Map<Recording, UUID> recordings) {
        boolean isBoolean = inside != null && inside.metricType == MetricType.BOOLEAN;
        if (isBoolean && line.value.compareTo(BigDecimal.ZERO) != 0 && line.value.compareTo(BigDecimal.ONE) != 0) {
            session.errors()
                    .add(number, "/data/value", "invalid_value", "A boolean key result has only the values 0 and 1.");
            return false;
        }
        var other = recordings.put(recording(keyResult, line.recordedAt), id);
        if (other != null && !other.equals(id)) {
            session.errors()
                    .add(number, "/data/recorded_at", "conflict", "Another check-in of the key result has this time.");
            return false;
        }
        return true;
    }

    private void create(
            int number,
            UUID id,
            Line line,
            Known keyResult,
            @Nullable Inside inside,
            Map<UUID, Integer> counts,
            @Nullable UUID author,
            Rows rows) {
        session.count(Outcome.CREATED);
        if (inside != null && inside.isClosed) {
            session.errors().add(number, "/data/key_result_id", ClosedCycle.failure(IdKind.CYCLE.format(inside.cycle)));
            return;
        }
        int checkIns = counts.merge(keyResult.id(), 1, Integer::sum);
        if (checkIns > limit) {
            session.errors().add(number, "/data/key_result_id", Limit.CHECK_INS_PER_KEY_RESULT.reached());
            return;
        }
        rows.counts.put(keyResult.id(), checkIns);
        var createdAt = line.createdAt == null ? line.recordedAt : line.createdAt;
        rows.checkIns.add(new @Nullable Object[] {
            session.organization(),
            id,
            ImportedIds.externalId(line.id, line.externalId),
            keyResult.id(),
            line.value,
            line.note.applyTo(null),
            line.confidence.applyTo(null),
            author == null ? session.author() : author,
            line.recordedAt,
            createdAt,
            line.updatedAt == null ? createdAt : line.updatedAt
        });
        rows.changes.add(new Changed(id, number, null));
        rows.add(keyResult);
    }

    private void change(
            int number,
            UUID id,
            CheckInResponse shown,
            Line line,
            Known keyResult,
            @Nullable Inside inside,
            @Nullable UUID author,
            Rows rows) {
        if (!IdKind.KEY_RESULT.format(keyResult.id()).equals(shown.keyResultId())) {
            session.errors()
                    .add(number, "/data/key_result_id", "invalid_value", "A check-in stays with its key result.");
            return;
        }
        var externalId = line.externalId.applyTo(shown.externalId());
        var note = line.note.applyTo(shown.note());
        var confidence = line.confidence.applyTo(shown.confidence());
        var authorId = author == null ? IdKind.USER.require(shown.authorId()) : author;
        boolean isSame = shown.value().compareTo(line.value) == 0
                && Objects.equals(shown.externalId(), externalId)
                && Objects.equals(shown.note(), note)
                && Objects.equals(shown.confidence(), confidence)
                && shown.recordedAt().equals(line.recordedAt)
                && shown.authorId().equals(IdKind.USER.format(authorId));
        if (isSame) {
            session.count(Outcome.UNCHANGED);
            return;
        }
        session.count(Outcome.UPDATED);
        if (inside != null && inside.isClosed) {
            session.errors().add(number, "", ClosedCycle.failure(IdKind.CYCLE.format(inside.cycle)));
            return;
        }
        rows.updates.add(new Sql.Write(
                UPDATE,
                externalId,
                line.value,
                note,
                confidence,
                line.recordedAt,
                authorId,
                ImportedIds.updatedAt(session, line.updatedAt, shown.updatedAt()),
                session.organization(),
                id));
        rows.changes.add(new Changed(id, number, session.events().text(shown)));
        rows.add(keyResult);
    }
}
