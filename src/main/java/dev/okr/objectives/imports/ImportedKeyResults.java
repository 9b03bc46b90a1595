package dev.okr.objectives.imports;

import dev.okr.objectives.KeyResult;
import dev.okr.objectives.KeyResultResponse;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.Objective;
import dev.okr.objectives.SetValues;
import dev.okr.objectives.Weight;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Changed;
import dev.okr.objectives.moving.Staging.Known;
import dev.okr.objectives.moving.Staging.Value;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The key result lines of an import. The rows of existing objectives are locked. {@link ImportedValues} later sets the
 * current values of lines that have none.
 */
final class ImportedKeyResults {
    private static final String EXISTING =
            "SELECT " + KeyResult.TABLE.columns("e") + " FROM " + ImportedRows.keyed(KeyResult.TABLE, "");
    // Counts up to the limit, in the order of an index. Otherwise PostgreSQL could scan the table for each objective,
    // because the statistics do not contain the rows of the import.
    private static final String INSIDE = """
            SELECT o.id, o.cycle_id, c.closed_at IS NOT NULL AS closed,
                (SELECT count(*) FROM (
                    SELECT 1 FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = o.id
                    ORDER BY k.created_at DESC, k.id DESC LIMIT ?) AS counted) AS key_results
            FROM objective o LEFT JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            WHERE o.organization_id = :organization AND o.id = ANY (?)
            """;
    private static final String UPDATE = """
            UPDATE key_result SET external_id = ?, title = ?, current_value = ?, target_value = ?, progress = ?,
                weight = ?, owner_id = ?, updated_at = ?
            WHERE organization_id = ? AND id = ?
            """;

    private final ImportSession session;

    private record Line(
            @Nullable String id,
            FieldChange<String> externalId,
            String objectiveId,
            String title,
            MetricType metricType,
            BigDecimal startValue,
            FieldChange<BigDecimal> currentValue,
            BigDecimal targetValue,
            FieldChange<BigDecimal> weight,
            @Nullable String ownerEmail,
            @Nullable String ownerId,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {
        List<String> keys() {
            return ImportedIds.keys(id, externalId);
        }
    }

    /** The objective of a key result. */
    private record Inside(UUID cycle, boolean isClosed, long keyResults) {
        static Inside read(ResultSet row) throws SQLException {
            return new Inside(Sql.uuid(row, "cycle_id"), row.getBoolean("closed"), row.getLong("key_results"));
        }
    }

    /** The rows of a batch. */
    private final class Rows {
        private final List<@Nullable Object[]> keyResults = new ArrayList<>();
        private final List<@Nullable Object[]> words = new ArrayList<>();
        private final List<Sql.Write> updates = new ArrayList<>();
        private final List<Changed> changes = new ArrayList<>();
        private final List<Value> values = new ArrayList<>();
        private final Set<UUID> objectives = new HashSet<>();

        void write() throws SQLException {
            session.sql().copy("key_result", ImportedRows.columns(KeyResult.TABLE), keyResults);
            session.sql().copy(KeyResult.WORDS.name(), ImportedRows.WORD_COLUMNS, words);
            session.sql().updateAll(updates);
            session.staging().addChanges(LineType.KEY_RESULT, changes);
            session.staging().addValues(values);
            session.staging().addProgress(objectives, false);
        }
    }

    private ImportedKeyResults(ImportSession session) {
        this.session = session;
    }

    static void apply(ImportSession session) throws SQLException {
        var keyResults = new ImportedKeyResults(session);
        session.each(LineType.KEY_RESULT, keyResults::read, keyResults::apply);
    }

    private Line read(BodyReader data) {
        data.ignore("progress", "confidence");
        var id = data.optionalKey("id");
        var externalId = data.clearableExternalId();
        ImportedIds.requireOne(data);
        var objectiveId = data.requiredKey("objective_id");
        var title = data.requiredTitle("title");
        var metricType = data.requiredConstant("metric_type", MetricType.class);
        var startValue = data.requiredDecimal("start_value");
        var targetValue = data.requiredDecimal("target_value");
        var currentValue = data.changedDecimal("current_value");
        if (data.isSound("metric_type", "start_value", "target_value")) {
            metricType.checkStart(data, startValue);
            metricType.checkTarget(data, startValue, targetValue);
            if (currentValue instanceof FieldChange.Set<BigDecimal>(var value)) {
                metricType.checkValue(data, "current_value", value);
            }
        }
        return new Line(
                id,
                externalId,
                objectiveId,
                title,
                metricType,
                startValue,
                currentValue,
                targetValue,
                Weight.readChange(data),
                ImportedRows.email(data, "owner_email"),
                data.optionalKey("owner_id"),
                session.time(data, "created_at"),
                session.time(data, "updated_at"));
    }

    private void apply(List<Read<Line>> lines) throws SQLException {
        var keys = lines.stream().flatMap(each -> each.line().keys().stream()).toList();
        var taken = session.staging().find(LineType.KEY_RESULT, keys);
        var objectives = ImportedRows.resolve(
                session,
                LineType.OBJECTIVE,
                Objective.table(),
                IdKind.OBJECTIVE,
                lines.stream().map(each -> each.line().objectiveId).distinct().toList());
        ImportedRows.lock(objectives.values().stream()
                .filter(each -> !each.isNew())
                .map(Known::id)
                .distinct()
                .toList());
        var inside =
                inside(objectives.values().stream().map(Known::id).distinct().toList());
        var found = ImportedRows.find(
                TenantSql.current()
                        .listPlanned(
                                KeyResult.TABLE.reader(), EXISTING, keys, ImportedRows.ids(IdKind.KEY_RESULT, keys)),
                KeyResultResponse::externalId,
                KeyResultResponse::id);
        var ids = new HashMap<String, Known>();
        var added = new HashMap<UUID, Integer>();
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
            var known = existing == null
                    ? new Known(session.newId(createdAt), true)
                    : new Known(IdKind.KEY_RESULT.require(existing.id()), false);
            line.keys().forEach(key -> ids.put(key, known));
            if (existing != null) {
                // Another line could refer to the same row by another key.
                ImportedRows.putKeys(ids, known, existing.id(), existing.externalId());
            }
            var owner = session.user(read.number(), "owner", line.ownerEmail, line.ownerId);
            var objective = objectives.get(line.objectiveId);
            if (objective == null) {
                session.unknown(read.number(), "objective_id", IdKind.OBJECTIVE);
                continue;
            }
            // After an error, new objectives are not written.
            var of = inside.getOrDefault(objective.id(), new Inside(objective.id(), false, 0));
            if (existing == null) {
                long present = of.keyResults + added.merge(objective.id(), 1, Integer::sum) - 1;
                create(read.number(), known.id(), line, objective.id(), of, present, owner, createdAt, rows);
            } else {
                change(read.number(), existing, line, objective.id(), of, owner, rows);
            }
        }
        session.staging().addIds(LineType.KEY_RESULT, ids);
        if (session.writes()) {
            rows.write();
        }
    }

    private static Map<UUID, Inside> inside(List<UUID> objectives) {
        var inside = new HashMap<UUID, Inside>();
        if (!objectives.isEmpty()) {
            TenantSql.current()
                    .listPlanned(
                            row -> inside.put(Sql.uuid(row, "id"), Inside.read(row)),
                            INSIDE,
                            Limit.KEY_RESULTS_PER_OBJECTIVE.value(),
                            objectives);
        }
        return inside;
    }

    private void create(
            int number,
            UUID id,
            Line line,
            UUID objective,
            Inside inside,
            long present,
            @Nullable UUID owner,
            Instant createdAt,
            Rows rows) {
        session.count(Outcome.CREATED);
        if (inside.isClosed) {
            session.errors().add(number, "/data/objective_id", ClosedCycle.failure(IdKind.CYCLE.format(inside.cycle)));
            return;
        }
        if (present >= Limit.KEY_RESULTS_PER_OBJECTIVE.value()) {
            session.errors().add(number, "/data/objective_id", Limit.KEY_RESULTS_PER_OBJECTIVE.reached());
            return;
        }
        var currentValue = line.currentValue.orElse(line.startValue);
        rows.keyResults.add(new @Nullable Object[] {
            session.organization(),
            id,
            ImportedIds.externalId(line.id, line.externalId),
            objective,
            line.title,
            EnumNames.format(line.metricType),
            line.startValue,
            currentValue,
            line.targetValue,
            Progress.between(line.startValue, currentValue, line.targetValue),
            line.weight.orElse(Weight.DEFAULT),
            owner == null ? session.author() : owner,
            createdAt,
            line.updatedAt == null ? createdAt : line.updatedAt
        });
        rows.words.add(new @Nullable Object[] {
            session.organization(), id, createdAt, Words.of(line.title).vector(session.organization())
        });
        rows.changes.add(new Changed(id, number, null));
        rows.values.add(new Value(id, true, line.currentValue instanceof FieldChange.Set, null));
        rows.objectives.add(objective);
    }

    private void change(
            int number,
            KeyResultResponse shown,
            Line line,
            UUID objective,
            Inside inside,
            @Nullable UUID owner,
            Rows rows) {
        var id = IdKind.KEY_RESULT.require(shown.id());
        if (!IdKind.OBJECTIVE.format(objective).equals(shown.objectiveId())) {
            session.errors()
                    .add(number, "/data/objective_id", "invalid_value", "A key result stays with its objective.");
            return;
        }
        if (shown.metricType() != line.metricType || shown.startValue().compareTo(line.startValue) != 0) {
            var field = shown.metricType() == line.metricType ? "start_value" : "metric_type";
            session.errors().add(number, "/data/" + field, "invalid_value", "This field cannot be changed.");
            return;
        }
        var externalId = line.externalId.applyTo(shown.externalId());
        var currentValue = line.currentValue.orElse(shown.currentValue());
        var weight = line.weight.orElse(shown.weight());
        var ownerId = owner == null ? IdKind.USER.require(shown.ownerId()) : owner;
        // With the value that it has already, the check-ins of the file decide.
        if (shown.currentValue().compareTo(currentValue) != 0) {
            rows.values.add(new Value(id, false, true, shown.confidence()));
        }
        boolean isSame = shown.title().equals(line.title)
                && Objects.equals(shown.externalId(), externalId)
                && shown.currentValue().compareTo(currentValue) == 0
                && shown.targetValue().compareTo(line.targetValue) == 0
                && shown.weight().compareTo(weight) == 0
                && shown.ownerId().equals(IdKind.USER.format(ownerId));
        if (isSame) {
            session.count(Outcome.UNCHANGED);
            return;
        }
        session.count(Outcome.UPDATED);
        if (inside.isClosed) {
            session.errors().add(number, "", ClosedCycle.failure(IdKind.CYCLE.format(inside.cycle)));
            return;
        }
        if (session.writes() && !shown.title().equals(line.title)) {
            KeyResult.WORDS.put(id, shown.createdAt(), line.title);
        }
        if (session.writes() && shown.currentValue().compareTo(currentValue) != 0) {
            SetValues.add(id, session.now(), currentValue);
        }
        rows.updates.add(new Sql.Write(
                UPDATE,
                externalId,
                line.title,
                currentValue,
                line.targetValue,
                Progress.between(shown.startValue(), currentValue, line.targetValue),
                weight,
                ownerId,
                ImportedIds.updatedAt(session, line.updatedAt, shown.updatedAt()),
                session.organization(),
                id));
        rows.changes.add(new Changed(id, number, session.events().text(shown)));
        rows.objectives.add(objective);
    }
}
