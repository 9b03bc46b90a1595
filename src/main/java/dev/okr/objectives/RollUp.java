package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the progress of objectives whose key results or contributing children have changed in this transaction.
 * Then it calculates the progress of the objectives to which these contribute. It stops where the progress stays the
 * same, and at objectives of closed cycles.
 *
 * <p><b>The stored progress is right at every commit.</b> A transaction that changes a key result, a contributing child
 * or an alignment locks the row of the objective above. It then reads all key results and children of that objective
 * with a new statement. That statement sees everything that earlier holders of the lock have committed. Progress is
 * always calculated from these rows, never from differences.
 *
 * <p><b>Transactions cannot deadlock.</b> All locks are taken in one order:
 *
 * <ol>
 *   <li>the row of the organisation ({@link TenantSql#lockOrganization})
 *   <li>the {@link ContributionLock}
 *   <li>objectives that do not roll up, by id
 *   <li>objectives that roll up, by descending level, then by id
 *   <li>totals of cycles, by cycle and slot
 * </ol>
 *
 * <p>The level of an objective is the length of the longest chain above it ({@link Ancestors}). While a transaction
 * shares the {@link ContributionLock}, no contributing alignment and no {@code rolls_up} changes. No cycle is closed or
 * reopened either. So all transactions that roll up see the same levels. A child has a higher level than its parents.
 * So progress rolls up in the order of the locks, and the row of a shared ancestor is locked last.
 *
 * <p>A transaction that holds the {@link ContributionLock} exclusively excludes all transactions that lock a second
 * objective that rolls up. Objectives that do not roll up are always locked by id.
 *
 * <p>A check-in locks its own objective before it knows whether the objective rolls up. If it does, the check-in only
 * tries to share the {@link ContributionLock}. If it would have to wait, it is restarted.
 *
 * <p>{@link CycleClosing} and {@link CarriedObjectives} also lock a cycle, after the {@link TenantSql#lockOrganization
 * organisation}. Closing then locks all objectives of the cycle by id, while it holds the {@link ContributionLock}
 * exclusively.
 */
final class RollUp {
    private static final String LOCK = "SELECT %s FROM objective o WHERE o.organization_id = :organization"
            + " AND o.id {ids} AND %s ORDER BY o.id FOR NO KEY UPDATE";

    private static final ForIds LOCK_ROLLING_UP = ForIds.of(LOCK.formatted("o.id", "o.rolls_up"));

    private static final ForIds READ_ROLLING_UP = ForIds.of("SELECT " + Objective.TABLE.columns("o")
            + " FROM objective o WHERE o.organization_id = :organization AND o.id {ids} AND o.rolls_up");

    private static final ForIds SUMS = ForIds.of("""
            SELECT i.id, sum(i.weight * i.progress) AS progress, sum(i.weight) AS weight FROM (
                SELECT k.objective_id AS id, k.weight, k.progress FROM key_result k
                WHERE k.organization_id = :organization AND k.objective_id {ids}
                UNION ALL
                SELECT a.parent_objective_id, a.weight, c.progress FROM alignment a
                JOIN objective c ON c.organization_id = :organization AND c.id = a.child_objective_id
                WHERE a.organization_id = :organization AND a.parent_objective_id {ids}
                    AND a.alignment_type = 'contributes_to' AND a.weight IS NOT NULL) i
            GROUP BY i.id
            """);

    // The second statement starts when the locks are held, see LockedObjective.
    private static final ForIds LOCK_AND_SUM = ForIds.of(
                    LOCK.formatted(Objective.TABLE.columns("o"), ClosedCycle.IS_OPEN))
            .with(SUMS);

    private static final ForIds READ_AND_SUM = Ancestors.READ.with(LOCK_AND_SUM);

    private static final ForIds TRY_READ_AND_SUM =
            ForIds.of(ContributionLock.TRY).with(READ_AND_SUM);

    private static final String UPDATE =
            "UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = :organization AND id = ?";

    private static final String UPDATE_ALL = """
            UPDATE objective o SET progress = v.progress, updated_at = v.updated_at
            FROM unnest(?::uuid[], ?::numeric[], ?::timestamptz[]) AS v (id, progress, updated_at)
            WHERE o.organization_id = :organization AND o.id = v.id
            """;

    /** The maximum number of objectives whose progress is calculated at once. Their rows have texts that can be long. */
    private static final int MAX_AT_ONCE = 100;

    private final Instant now;
    private final BiConsumer<ObjectiveResponse, ObjectiveResponse> events;
    private final List<Change> changes = new ArrayList<>();

    /** Those of {@link #changes} that {@link #write} still has to write. */
    private final List<Change> unwritten = new ArrayList<>();

    /** An objective with its new progress, while its row is locked. */
    private record Found(ObjectiveResponse before, BigDecimal progress) {
        boolean isChanged() {
            return progress.compareTo(before.progress()) != 0;
        }
    }

    /**
     * The new progress of an objective. It holds no texts, because a roll-up can change thousands of objectives.
     *
     * @param difference the new progress minus the old one
     */
    private record Change(UUID id, UUID cycleId, BigDecimal difference, BigDecimal progress, Instant at) {
        CycleTotals.Change ofTotals() {
            return CycleTotals.Change.progressed(id, cycleId, difference);
        }
    }

    /**
     * The sums over the key results and contributing children of an objective.
     *
     * @param progress the sum of weight × progress
     */
    record Sums(UUID id, BigDecimal progress, BigDecimal weight) {
        static Sums read(ResultSet row) throws SQLException {
            return new Sums(Sql.uuid(row, "id"), row.getBigDecimal("progress"), row.getBigDecimal("weight"));
        }

        BigDecimal mean() {
            return Progress.mean(progress, weight);
        }
    }

    /** An objective with its stored progress. */
    record Stored(UUID id, BigDecimal progress) {
        static Stored read(ResultSet row) throws SQLException {
            return new Stored(Sql.uuid(row, "id"), row.getBigDecimal("progress"));
        }
    }

    /** @param events receives each objective before and after its change */
    RollUp(Instant now, BiConsumer<ObjectiveResponse, ObjectiveResponse> events) {
        this.now = now;
        this.events = events;
    }

    RollUp(Instant now, Outbox outbox) {
        this(now, (before, after) -> outbox.updated(EventType.OBJECTIVE_UPDATED, before.id(), before, after));
    }

    /** Takes a progress that was calculated already. The row is locked, and the objective contributes to no other. */
    void set(ObjectiveResponse locked, BigDecimal progress) {
        var found = new Found(locked, progress);
        if (found.isChanged()) {
            unwritten.add(record(found));
        }
    }

    /**
     * Calculates the progress of these objectives and of those to which they contribute. The caller has locked them, or
     * holds the {@link ContributionLock} exclusively.
     */
    void from(Collection<UUID> objectives) {
        if (objectives.isEmpty()) {
            return;
        }
        if (objectives.size() <= MAX_AT_ONCE) {
            var start = start(objectives);
            from(objectives, start.ancestors, start.changed);
        } else {
            var groups = new Ancestors.Groups<RuntimeException>((group, ancestors) -> from(group, ancestors, null));
            groups.add(List.copyOf(objectives));
            groups.finish();
        }
    }

    /** @param first the changes of the objectives if all are on one level; null if they are not calculated yet */
    private void from(Collection<UUID> objectives, Ancestors ancestors, @Nullable List<Found> first) {
        var levels = new TreeMap<Integer, Collection<UUID>>(Collections.reverseOrder());
        objectives.forEach(id -> add(levels, ancestors, id));
        // If they are on different levels, one of them may contribute to another.
        var calculated = levels.size() == 1 ? first : null;
        while (!levels.isEmpty()) {
            var level = levels.pollFirstEntry().getValue();
            var changed = calculated == null ? calculateAll(level) : apply(calculated);
            for (var change : changed) {
                ancestors.parents(change.id).forEach(parent -> add(levels, ancestors, parent));
            }
            calculated = null;
        }
    }

    /** The ancestors of some objectives, and the changes of these. Use the changes only if all are on one level. */
    private record Start(Ancestors ancestors, List<Found> changed) {}

    private static Start start(Collection<UUID> objectives) {
        boolean isHeld = ContributionLock.isHeld();
        var statements = isHeld ? READ_AND_SUM : TRY_READ_AND_SUM;
        return statements.results(
                results -> {
                    if (!isHeld
                            && !results.next(row -> row.getBoolean("locked")).getFirst()) {
                        throw ContributionLock.share();
                    }
                    var ancestors = new Ancestors(results.next(Ancestors.Edge::read));
                    return new Start(ancestors, changed(results));
                },
                objectives);
    }

    /** Writes the progress together with the next statement, which reads it for the parents. */
    private List<Change> apply(List<Found> found) {
        if (found.isEmpty()) {
            return List.of();
        }
        CycleTotals.begin();
        var changed = found.stream().map(this::record).toList();
        update(changed);
        return changed;
    }

    private Change record(Found found) {
        var before = found.before;
        var at = Timestamps.later(now, before.updatedAt());
        var change = new Change(
                IdKind.OBJECTIVE.require(before.id()),
                IdKind.CYCLE.require(before.cycleId()),
                found.progress.subtract(before.progress()),
                found.progress,
                at);
        events.accept(before, before.withProgress(found.progress, at));
        changes.add(change);
        return change;
    }

    private void update(List<Change> some) {
        if (some.size() == 1) {
            var change = some.getFirst();
            TenantSql.current().write(UPDATE, change.progress, change.at, change.id);
        } else if (!some.isEmpty()) {
            TenantSql.current()
                    .write(
                            UPDATE_ALL,
                            some.stream().map(Change::id).toList(),
                            some.stream().map(Change::progress).toList(),
                            some.stream().map(change -> change.at).toList());
        }
    }

    private static void add(Map<Integer, Collection<UUID>> levels, Ancestors ancestors, UUID objective) {
        levels.computeIfAbsent(ancestors.level(objective), level -> new TreeSet<>())
                .add(objective);
    }

    /** Locks objectives of one level, calculates their progress, and writes the changes. Returns the changes. */
    private List<Change> calculateAll(Collection<UUID> level) {
        if (level.size() <= MAX_AT_ONCE) {
            return apply(calculate(level));
        }
        // The order of the locks. PostgreSQL compares ids as unsigned bytes, but UUID.compareTo is signed.
        var inOrder =
                level.stream().sorted(Comparator.comparing(UUID::toString)).toList();
        var changed = new ArrayList<Change>();
        for (int i = 0; i < inOrder.size(); i += MAX_AT_ONCE) {
            changed.addAll(apply(calculate(inOrder.subList(i, Math.min(i + MAX_AT_ONCE, inOrder.size())))));
        }
        return changed;
    }

    private static List<Found> calculate(Collection<UUID> ids) {
        return LOCK_AND_SUM.results(RollUp::changed, ids);
    }

    private static List<Found> changed(Sql.Results results) throws SQLException {
        var locked = results.next(Objective.TABLE.reader());
        var means = new HashMap<UUID, BigDecimal>();
        results.next(Sums::read).forEach(each -> means.put(each.id, each.mean()));
        return locked.stream()
                .map(each -> new Found(each, means.getOrDefault(IdKind.OBJECTIVE.require(each.id()), Progress.NONE)))
                .filter(Found::isChanged)
                .toList();
    }

    /** The key results and children of objectives, as they are stored. Objectives without any are absent. */
    static List<Sums> sums(Collection<UUID> objectives) {
        return SUMS.results(results -> results.next(Sums::read), objectives);
    }

    /** Returns those of the objectives whose stored progress is wrong. */
    static List<UUID> wrong(List<Stored> objectives) {
        if (objectives.isEmpty()) {
            return List.of();
        }
        var means = new HashMap<UUID, BigDecimal>();
        sums(objectives.stream().map(Stored::id).toList()).forEach(each -> means.put(each.id, each.mean()));
        return objectives.stream()
                .filter(each -> means.getOrDefault(each.id, Progress.NONE).compareTo(each.progress) != 0)
                .map(Stored::id)
                .toList();
    }

    /** Returns the objectives with their new progress. */
    List<ObjectiveResponse> current(List<ObjectiveResponse> objectives) {
        var newest = new HashMap<String, Change>();
        changes.forEach(change -> newest.put(IdKind.OBJECTIVE.format(change.id), change));
        return objectives.stream()
                .map(each -> {
                    var change = newest.get(each.id());
                    return change == null ? each : each.withProgress(change.progress, change.at);
                })
                .toList();
    }

    /**
     * Writes all changes. No objective may be locked afterwards, see the order of locks above.
     *
     * @param others further changes of totals that the transaction makes
     * @return the number of objectives whose progress has changed
     */
    int write(CycleTotals.Change... others) {
        CycleTotals.write(totals(List.of(others)));
        return writeProgress();
    }

    /** The changes of totals, together with others that the transaction makes. */
    List<CycleTotals.Change> totals(List<CycleTotals.Change> others) {
        return Stream.concat(others.stream(), changes.stream().map(Change::ofTotals))
                .toList();
    }

    /** Like {@link #write}, but the caller writes the {@link #totals} later, after {@link CycleTotals#begin}. */
    int writeProgress() {
        update(unwritten);
        return changes.size();
    }

    /**
     * Locks several objectives that roll up. It also locks the objectives above them that come before the last one in
     * the order of locks. The caller holds the {@link ContributionLock} and calls {@link #from} later.
     *
     * @return the locked objectives, by public id
     * @throws Failure if there are too many alignments above them
     */
    static Map<String, ObjectiveResponse> lock(Collection<UUID> objectives) {
        var ancestors = Ancestors.ofBatch(objectives);
        int lowest = objectives.stream().mapToInt(ancestors::level).min().orElse(0);
        var levels = new TreeMap<Integer, Collection<UUID>>(Collections.reverseOrder());
        Stream.concat(objectives.stream(), ancestors.all().stream())
                .filter(id -> ancestors.level(id) >= lowest)
                .forEach(id -> add(levels, ancestors, id));
        levels.values().forEach(ids -> LOCK_ROLLING_UP.results(results -> results.next(row -> true), ids));
        // The ancestors are only locked, not read. There can be thousands, and their texts can be long.
        return READ_ROLLING_UP.results(results -> results.next(Objective.TABLE.reader()), objectives).stream()
                .collect(Collectors.toMap(ObjectiveResponse::id, Function.identity()));
    }
}
