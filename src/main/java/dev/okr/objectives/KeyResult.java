package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How an objective's success is measured. Every change of one is made under the lock on its objective's row. */
@Entity
@Table(name = "key_result")
public class KeyResult extends TenantEntity {
    static final TenantTable<KeyResult> TABLE = new TenantTable<>(
            "key_result",
            List.of(
                    "id",
                    "objective_id",
                    "title",
                    "metric_type",
                    "start_value",
                    "current_value",
                    "target_value",
                    "progress",
                    "owner_id",
                    "created_at",
                    "updated_at"),
            KeyResult::read);

    static final String NOUN = "key result";

    @Column(name = "objective_id", updatable = false)
    UUID objectiveId;

    @Column(name = "title")
    String title;

    @Column(name = "metric_type", updatable = false)
    MetricType metricType;

    @Column(name = "start_value", updatable = false)
    BigDecimal startValue;

    @Column(name = "current_value")
    BigDecimal currentValue;

    @Column(name = "target_value")
    BigDecimal targetValue;

    @Column(name = "progress")
    BigDecimal progress;

    @Column(name = "owner_id")
    UUID ownerId;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected KeyResult() {}

    static KeyResult create(Objective objective, CreateKeyResult request, UUID author, Instant now) {
        var keyResult = new KeyResult();
        keyResult.id = UuidV7.at(now);
        keyResult.objectiveId = objective.id();
        keyResult.title = request.title();
        keyResult.metricType = request.metricType();
        keyResult.startValue = request.startValue();
        keyResult.currentValue = request.startValue();
        keyResult.targetValue = request.targetValue();
        keyResult.progress = Progress.NONE;
        keyResult.ownerId = Objects.requireNonNullElse(request.ownerId(), author);
        keyResult.createdAt = now;
        keyResult.updatedAt = now;
        keyResult.persist();
        rollUp(objective, now);
        return keyResult;
    }

    /** @return whether that is a change at all */
    boolean change(String newTitle, BigDecimal newCurrent, BigDecimal newTarget, Instant now) {
        if (newTitle.equals(title)
                && newCurrent.compareTo(currentValue) == 0
                && newTarget.compareTo(targetValue) == 0) {
            return false;
        }
        title = newTitle;
        currentValue = newCurrent;
        targetValue = newTarget;
        progress = Progress.between(startValue, currentValue, targetValue);
        updatedAt = now;
        return true;
    }

    /** Deletes the key result with its check-ins. */
    void delete(Objective objective, Outbox outbox, Instant now) {
        delete(outbox);
        rollUp(objective, now);
    }

    /** Deletes the key results of an objective that is being deleted itself, with their check-ins. */
    static void deleteOf(Objective objective, Outbox outbox) {
        for (var keyResult : KeyResult.<KeyResult>list("objectiveId = ?1 order by createdAt, id", objective.id())) {
            keyResult.delete(outbox);
        }
    }

    private void delete(Outbox outbox) {
        outbox.deleted(EventType.KEY_RESULT_DELETED, publicId(), KeyResultResponse.of(this));
        deleteCheckIns();
        delete();
    }

    private void deleteCheckIns() {
        Panache.getSession()
                .createMutationQuery("delete from CheckIn where keyResultId = :id")
                .setParameter("id", id)
                .executeUpdate();
    }

    private static void rollUp(Objective objective, Instant now) {
        var totals = Panache.getSession()
                .createSelectionQuery(
                        "select sum(k.progress), count(*) from KeyResult k where k.objectiveId = :id", Totals.class)
                .setParameter("id", objective.id())
                .getSingleResult();
        objective.rollUp(Objects.requireNonNullElse(totals.sum(), BigDecimal.ZERO), totals.count(), now);
    }

    /** What an objective's progress is made of. */
    @RegisterForReflection
    record Totals(@Nullable BigDecimal sum, long count) {}

    BigDecimal currentValue() {
        return currentValue;
    }

    MetricType metricType() {
        return metricType;
    }

    /** @throws Failure when the organisation has no such key result */
    static UUID requireId(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .filter(id -> TenantSql.current().exists(TABLE, id))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /**
     * Reads a key result of a locked objective to change it, watched for what becomes of it.
     *
     * @throws Failure when the objective has no such key result
     */
    static KeyResult require(Objective objective, String publicId, Outbox outbox) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id ->
                        find("id = ?1 and objectiveId = ?2", id, objective.id()).<KeyResult>firstResultOptional())
                .map(keyResult -> keyResult.watched(outbox))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    KeyResult watched(Outbox outbox) {
        outbox.watch(EventType.KEY_RESULT_UPDATED, publicId(), () -> KeyResultResponse.of(this));
        return this;
    }

    private String publicId() {
        return IdKind.KEY_RESULT.format(id);
    }

    static Slice<KeyResult> list(ListQuery query, UUID objectiveId) {
        return NewestFirst.of(TABLE, keyResult -> keyResult.createdAt)
                .with("objective_id", objectiveId)
                .slice(query);
    }

    private static KeyResult read(ResultSet row) throws SQLException {
        var keyResult = unmanaged(new KeyResult());
        keyResult.id = Sql.uuid(row, "id");
        keyResult.objectiveId = Sql.uuid(row, "objective_id");
        keyResult.title = row.getString("title");
        keyResult.metricType =
                EnumNames.parse(MetricType.class, row.getString("metric_type")).orElseThrow();
        keyResult.startValue = row.getBigDecimal("start_value");
        keyResult.currentValue = row.getBigDecimal("current_value");
        keyResult.targetValue = row.getBigDecimal("target_value");
        keyResult.progress = row.getBigDecimal("progress");
        keyResult.ownerId = Sql.uuid(row, "owner_id");
        keyResult.createdAt = Sql.instant(row, "created_at");
        keyResult.updatedAt = Sql.instant(row, "updated_at");
        return keyResult;
    }

    /** Stores metric types in lower case. */
    @Converter(autoApply = true)
    static class MetricTypeConverter extends EnumConverter<MetricType> {
        MetricTypeConverter() {
            super(MetricType.class);
        }
    }
}
