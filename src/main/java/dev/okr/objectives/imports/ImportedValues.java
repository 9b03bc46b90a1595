package dev.okr.objectives.imports;

import dev.okr.objectives.KeyResult;
import dev.okr.objectives.KeyResultResponse;
import dev.okr.objectives.SetValues;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging.Value;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs after all check-ins are written. Sets the current values of key results whose lines have none. Also sets the time
 * of the update of key results whose confidence changed. The last recorded check-in determines both, as in the API. A
 * current value in a line that differs from this check-in was set without a check-in.
 */
final class ImportedValues {
    private static final String READ = """
            SELECT %s, r.id AS ruling_id, r.value AS ruling_value FROM key_result k
            LEFT JOIN LATERAL (
                SELECT c.id, c.value FROM check_in c WHERE c.organization_id = :organization AND c.key_result_id = k.id
                ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT 1) r ON true
            WHERE k.organization_id = :organization AND k.id = ANY (?)
            """.formatted(KeyResult.TABLE.columns("k"));
    private static final String UPDATE = """
            UPDATE key_result k SET current_value = v.current_value, progress = v.progress, updated_at = v.updated_at
            FROM unnest(?::uuid[], ?::numeric[], ?::numeric[], ?::timestamptz[])
                AS v (id, current_value, progress, updated_at)
            WHERE k.organization_id = ? AND k.id = v.id
            """;

    private final ImportSession session;

    private record Row(
            UUID id,
            KeyResultResponse shown,
            @Nullable UUID rulingId,
            @Nullable BigDecimal rulingValue) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    Sql.uuid(row, "id"),
                    KeyResultResponse.read(row),
                    row.getObject("ruling_id", UUID.class),
                    row.getBigDecimal("ruling_value"));
        }

        BigDecimal ruled() {
            return rulingValue == null ? shown.startValue() : rulingValue;
        }
    }

    private record NewValue(UUID id, BigDecimal value, BigDecimal progress, Instant updatedAt) {}

    private ImportedValues(ImportSession session) {
        this.session = session;
    }

    static void apply(ImportSession session) throws SQLException {
        session.staging().eachValue(new ImportedValues(session)::apply);
    }

    private void apply(List<Value> values) throws SQLException {
        var rows = rows(values);
        var rulers = rows.values().stream()
                .flatMap(row -> Stream.ofNullable(row.rulingId))
                .toList();
        var written = Set.copyOf(session.staging().changed(LineType.CHECK_IN, rulers));
        var changed = new ArrayList<NewValue>();
        var objectives = new HashSet<UUID>();
        for (var value : values) {
            var row = rows.get(value.id());
            if (row == null) {
                continue;
            }
            boolean isOther = row.ruled().compareTo(row.shown.currentValue()) != 0;
            if (isOther && value.isGiven() && value.isNew()) {
                SetValues.add(row.id, row.shown.updatedAt(), row.shown.currentValue());
            }
            boolean isRuledByImport = row.rulingId != null && written.contains(row.rulingId);
            boolean isRuled = isOther && !value.isGiven() && (value.isNew() || isRuledByImport);
            // The row already shows the new confidence, because it is read from the last check-in.
            boolean hasSameConfidence = value.isNew() || Objects.equals(value.confidence(), row.shown.confidence());
            if (isRuled || !hasSameConfidence) {
                var newValue = isRuled ? row.ruled() : row.shown.currentValue();
                var progress = Progress.between(row.shown.startValue(), newValue, row.shown.targetValue());
                // A key result that is new, or whose line gives another value, keeps the time of the line.
                var updatedAt = value.isNew() || value.isGiven()
                        ? row.shown.updatedAt()
                        : Timestamps.later(session.now(), row.shown.updatedAt());
                changed.add(new NewValue(row.id, newValue, progress, updatedAt));
                objectives.add(IdKind.OBJECTIVE.require(row.shown.objectiveId()));
            }
        }
        write(changed);
        session.staging().addProgress(objectives, false);
    }

    private static Map<UUID, Row> rows(List<Value> values) {
        var rows = new HashMap<UUID, Row>();
        TenantSql.current()
                .listPlanned(Row::read, READ, values.stream().map(Value::id).toList())
                .forEach(row -> rows.put(row.id, row));
        return rows;
    }

    private void write(List<NewValue> changed) throws SQLException {
        if (!changed.isEmpty()) {
            session.sql()
                    .update(
                            UPDATE,
                            changed.stream().map(NewValue::id).toList(),
                            changed.stream().map(NewValue::value).toList(),
                            changed.stream().map(NewValue::progress).toList(),
                            changed.stream().map(NewValue::updatedAt).toList(),
                            session.organization());
        }
    }
}
