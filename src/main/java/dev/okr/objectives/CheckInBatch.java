package dev.okr.objectives;

import dev.okr.access.limits.LargeRequests;
import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates several check-ins in one transaction: all or none. The check-ins apply in the order of the request, as if
 * each had its own request. The number of statements does not depend on the number of check-ins, except for the
 * statements that insert rows. Key result and objective change once.
 */
final class CheckInBatch {
    static final int MAX_CHECK_INS = 1_000;

    /** The events of a larger batch can have many megabytes. */
    private static final int MAX_OF_SMALL_BATCH = 100;

    private static final String CHECK_INS = "check_ins";

    private final List<Item> items;
    private final List<CheckInResponse> created = new ArrayList<>();
    private final Map<KeyResult, KeyResultStanding> standings = new LinkedHashMap<>();

    /** One check-in of the request. Its errors name it. */
    private record Item(BodyReader body, KeyResult keyResult, CreateCheckIn request) {}

    private CheckInBatch(List<Item> items) {
        this.items = items;
    }

    /**
     * Locks the key results that the body names, and reads the body.
     *
     * @throws Failure if the body has invalid fields or names an unknown key result
     */
    static CheckInBatch read(BodyReader body, Instant now, LargeRequests large) {
        var bodies = body.requiredObjects(CHECK_INS, MAX_CHECK_INS);
        if (bodies.size() > MAX_OF_SMALL_BATCH) {
            large.await();
        }
        var ids = bodies.stream()
                .flatMap(each -> each.uncheckedText("key_result_id").stream())
                .flatMap(id -> IdKind.KEY_RESULT.parse(id).stream())
                .distinct()
                .toList();
        var keyResults = ids.isEmpty() ? Map.<UUID, KeyResult>of() : KeyResult.lockAll(ids);
        var items = new ArrayList<Item>();
        for (var each : bodies) {
            var id = each.requiredReference("key_result_id", IdKind.KEY_RESULT, keyResults::containsKey);
            var keyResult = keyResults.get(id);
            var metricType = keyResult == null ? null : keyResult.shown().metricType();
            var request = CreateCheckIn.readFields(each, metricType, now);
            if (keyResult != null) {
                items.add(new Item(each, keyResult, request));
            }
        }
        body.verify();
        return new CheckInBatch(items);
    }

    /** @throws Failure if an increment is too large or a cycle is closed, or a conflict that names the check-in */
    List<CheckInResponse> create(BodyReader body, UUID author, Instant now, Outbox outbox) {
        for (var item : items) {
            var standing = standings.computeIfAbsent(item.keyResult, KeyResult::standing);
            item.request.checkValueAfter(item.body, standing.value());
            // The times of creation differ, so that ids sort in the order of the request.
            var createdAt = now.plus(created.size(), ChronoUnit.MICROS);
            var checkIn = CheckIn.of(item.keyResult, standing, item.request, author, createdAt);
            standings.put(item.keyResult, standing.after(checkIn));
            created.add(checkIn);
        }
        body.verify();
        requireOpenCycles();
        var checkIns = countRequiringRoom();
        requireFreeTimes();
        requireFreeExternalIds();
        insert(author, outbox);
        updateKeyResults(checkIns, now, outbox);
        return created;
    }

    private void requireOpenCycles() {
        for (var item : items) {
            var objective = item.keyResult.objective();
            if (objective.isClosed()) {
                var reason = ClosedCycle.failure(objective.shown().cycleId());
                throw Failure.of(reason.code(), item.body.path() + "/key_result_id: " + reason.detail());
            }
        }
    }

    /** The number of check-ins of each key result, with those of the request. */
    private Map<UUID, Integer> countRequiringRoom() {
        var limit = Limit.CHECK_INS_PER_KEY_RESULT;
        int max = limit.value();
        var counts = KeyResult.checkIns(standings.keySet());
        for (var item : items) {
            if (counts.merge(item.keyResult.id(), 1, Integer::sum) > max) {
                var reason = limit.reached();
                throw Failure.of(reason.code(), item.body.path() + "/key_result_id: " + reason.detail());
            }
        }
        return counts;
    }

    private void requireFreeTimes() {
        var given = new ArrayList<CheckInResponse>();
        for (int i = 0; i < created.size(); i++) {
            if (items.get(i).request.recordedAt() != null) {
                given.add(created.get(i));
            }
        }
        if (given.isEmpty()) {
            return;
        }
        var taken = new HashMap<>(CheckIn.findRecordedAt(given));
        for (int i = 0; i < created.size(); i++) {
            var checkIn = created.get(i);
            var other = taken.putIfAbsent(
                    new CheckIn.Recording(checkIn.keyResultId(), checkIn.recordedAt()),
                    IdKind.CHECK_IN.require(checkIn.id()));
            if (other != null) {
                throw conflict(i, "recorded_at", CheckIn.timeTaken(other));
            }
        }
    }

    private void requireFreeExternalIds() {
        var given = created.stream()
                .map(CheckInResponse::externalId)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        if (given.isEmpty()) {
            return;
        }
        var taken = new HashMap<>(CheckIn.TABLE.findRefused(IdKind.CHECK_IN, given));
        for (int i = 0; i < created.size(); i++) {
            var externalId = created.get(i).externalId();
            if (externalId != null) {
                var other = taken.putIfAbsent(
                        externalId, IdKind.CHECK_IN.require(created.get(i).id()));
                if (other != null) {
                    throw conflict(i, "external_id", TenantTable.taken(IdKind.CHECK_IN, externalId, other));
                }
            }
        }
    }

    private Failure conflict(int item, String field, Failure reason) {
        return Failure.conflict("%s/%s: %s".formatted(items.get(item).body.path(), field, reason.detail()));
    }

    private void insert(UUID author, Outbox outbox) {
        var rows = new ArrayList<@Nullable Object[]>();
        for (int i = 0; i < created.size(); i++) {
            rows.add(CheckIn.row(items.get(i).keyResult, created.get(i), author));
        }
        CheckIn.TABLE.insertAll(rows);
        created.forEach(checkIn -> outbox.created(EventType.CHECK_IN_CREATED, checkIn.id(), checkIn));
    }

    private void updateKeyResults(Map<UUID, Integer> checkIns, Instant now, Outbox outbox) {
        var all = new ArrayList<KeyResultResponse>();
        var counts = new ArrayList<Integer>();
        var totals = new LinkedHashMap<LockedObjective, LockedObjective.Totals>();
        standings.forEach((keyResult, standing) -> {
            var before = keyResult.shown();
            var after = keyResult.checkedIn(standing.value(), standing.confidence(), now);
            all.add(after);
            counts.add(checkIns.getOrDefault(keyResult.id(), 0));
            if (after != before) {
                outbox.updated(EventType.KEY_RESULT_UPDATED, before.id(), before, after);
                var objective = keyResult.objective();
                totals.compute(
                        objective,
                        (same, sum) -> (sum == null ? objective.totals() : sum)
                                .without(before)
                                .with(after));
            }
        });
        KeyResult.writeAll(all, counts);
        if (!totals.isEmpty()) {
            LockedObjective.rollUpAll(totals, now, outbox);
        }
    }
}
