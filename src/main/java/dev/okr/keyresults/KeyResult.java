package dev.okr.keyresults;

import dev.okr.errors.Failure;
import dev.okr.http.ListQuery;
import dev.okr.http.Slice;
import dev.okr.ids.IdKind;
import dev.okr.ids.UuidV7;
import dev.okr.objectives.Objective;
import dev.okr.organizations.ConstantConverter;
import dev.okr.organizations.NewestFirst;
import dev.okr.organizations.TenantEntity;
import dev.okr.outbox.EventType;
import dev.okr.outbox.Outbox;
import dev.okr.progress.Progress;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** How an objective's success is measured. Every change of one is made under the lock on its objective's row. */
@Entity
@DynamicUpdate
@Table(name = "key_result")
public class KeyResult extends TenantEntity {
    private static final String NOUN = "key result";

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

    void update(Objective objective, UpdateKeyResult request, Instant now) {
        change(
                objective,
                request.title().orElse(title),
                request.currentValue().orElse(currentValue),
                request.targetValue().orElse(targetValue),
                now);
    }

    /** Takes over the value of a check-in. */
    public void checkIn(Objective objective, BigDecimal value, Instant now) {
        change(objective, title, value, targetValue, now);
    }

    private void change(
            Objective objective, String newTitle, BigDecimal newCurrent, BigDecimal newTarget, Instant now) {
        if (newTitle.equals(title)
                && newCurrent.compareTo(currentValue) == 0
                && newTarget.compareTo(targetValue) == 0) {
            return;
        }
        title = newTitle;
        currentValue = newCurrent;
        targetValue = newTarget;
        progress = Progress.between(startValue, currentValue, targetValue);
        updatedAt = now;
        rollUp(objective, now);
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

    public BigDecimal currentValue() {
        return currentValue;
    }

    public MetricType metricType() {
        return metricType;
    }

    /** @throws Failure when the organisation has no such key result */
    public static UUID requireId(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .filter(id -> count("id", id) > 0)
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

    private KeyResult watched(Outbox outbox) {
        outbox.watch(EventType.KEY_RESULT_UPDATED, publicId(), () -> KeyResultResponse.of(this));
        return this;
    }

    private String publicId() {
        return IdKind.KEY_RESULT.format(id);
    }

    /**
     * Locks the objective of a key result and reads both under that lock, watched for what becomes of them.
     *
     * @throws Failure when the organisation has no such key result
     */
    public static Locked requireLocked(String publicId, Outbox outbox) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> locked(id, outbox))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** A key result and its objective, both read under the objective's lock. */
    public record Locked(Objective objective, KeyResult keyResult) {}

    private static Optional<Locked> locked(UUID id, Outbox outbox) {
        // Only the objective's id is read before the lock: it never changes, everything else may.
        return Panache.getSession()
                .createSelectionQuery("select k.objectiveId from KeyResult k where k.id = :id", UUID.class)
                .setParameter("id", id)
                .uniqueResultOptional()
                .flatMap(objectiveId -> Objective.locked(objectiveId, outbox))
                .flatMap(objective -> find("id", id)
                        .<KeyResult>firstResultOptional()
                        .map(keyResult -> new Locked(objective, keyResult.watched(outbox))));
    }

    static Slice<KeyResult> list(ListQuery query, UUID objectiveId) {
        return NewestFirst.of(KeyResult.class, keyResult -> keyResult.createdAt)
                .with("objectiveId", objectiveId)
                .slice(query);
    }

    /** Stores metric types in lower case. */
    @Converter(autoApply = true)
    static class MetricTypeConverter extends ConstantConverter<MetricType> {
        MetricTypeConverter() {
            super(MetricType.class);
        }
    }
}
