package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.CycleTotals;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates several objectives with their key results in one transaction: all or none. A lock on each cycle makes
 * concurrent requests respect the limit of its objectives. Cycles and their totals are locked in a fixed order, so that
 * two batches cannot deadlock.
 */
final class ObjectiveBatch {
    static final int MAX_OBJECTIVES = 100;

    /** Of all objectives together. */
    static final int MAX_KEY_RESULTS = 1_000;

    private static final String OBJECTIVES = "objectives";
    private static final String KEY_RESULTS = "key_results";

    private final List<Item> items;

    /** One objective of the request. A conflict names it. */
    private record Item(UUID id, BodyReader body, CreateObjective request, List<KeyResultItem> keyResults) {}

    private record KeyResultItem(BodyReader body, CreateKeyResult request) {}

    private ObjectiveBatch(List<Item> items) {
        this.items = items;
    }

    /** @throws Failure if the body has invalid fields */
    static ObjectiveBatch read(BodyReader body, Instant now) {
        return read(body, () -> UuidV7.at(now));
    }

    /**
     * @param ids makes the ids of the objectives
     * @throws Failure if the body has invalid fields
     */
    static ObjectiveBatch read(BodyReader body, Supplier<UUID> ids) {
        var items = new ArrayList<Item>();
        int keyResults = 0;
        for (var each : body.requiredObjects(OBJECTIVES, MAX_OBJECTIVES)) {
            var bodies = each.optionalObjects(KEY_RESULTS, MAX_KEY_RESULTS - keyResults);
            keyResults += bodies.size();
            var request = CreateObjective.readFields(each);
            var ofObjective = bodies.stream()
                    .map(one -> new KeyResultItem(one, CreateKeyResult.readFields(one)))
                    .toList();
            items.add(new Item(ids.get(), each, request, ofObjective));
        }
        body.verify();
        return new ObjectiveBatch(items);
    }

    /** @throws Failure a conflict that names the objective or the key result, or a limit */
    List<ObjectiveListItem> create(UUID author, Instant now, Outbox outbox) {
        countInCycles();
        requireFreeExternalIds();
        var objectives = new ArrayList<ObjectiveResponse>();
        for (var item : items) {
            // The times of creation differ, so that lists have the order of the request.
            var createdAt = now.plus(objectives.size(), ChronoUnit.MICROS);
            objectives.add(Objective.insert(item.id, item.request, null, author, createdAt, outbox));
        }
        // The statements of the key results do not wait for the flush before the commit.
        Objective.flush();
        var created = new ArrayList<ObjectiveListItem>();
        var ofAll = new ArrayList<KeyResultResponse>();
        for (int i = 0; i < items.size(); i++) {
            var requests =
                    items.get(i).keyResults.stream().map(KeyResultItem::request).toList();
            var keyResults = KeyResult.ofNew(objectives.get(i), requests, author);
            created.add(new ObjectiveListItem(objectives.get(i), keyResults));
            ofAll.addAll(keyResults);
        }
        KeyResult.putWords(ofAll);
        KeyResult.insertAll(ofAll, outbox);
        return created;
    }

    private void countInCycles() {
        var byCycle = new TreeMap<UUID, List<UUID>>();
        items.forEach(item -> byCycle.computeIfAbsent(item.request.cycleId(), cycle -> new ArrayList<>())
                .add(item.id));
        byCycle.forEach((cycle, objectives) -> Objective.requireRoomIn(cycle, objectives.size()));
        byCycle.forEach((cycle, objectives) -> CycleTotals.added(objectives, cycle));
    }

    private void requireFreeExternalIds() {
        var ofObjectives = new LinkedHashMap<BodyReader, @Nullable String>();
        var ofKeyResults = new LinkedHashMap<BodyReader, @Nullable String>();
        for (var item : items) {
            ofObjectives.put(item.body, item.request.externalId());
            item.keyResults.forEach(each -> ofKeyResults.put(each.body, each.request.externalId()));
        }
        requireFree(Objective.TABLE, IdKind.OBJECTIVE, ofObjectives);
        requireFree(KeyResult.TABLE, IdKind.KEY_RESULT, ofKeyResults);
    }

    private static void requireFree(TenantTable<?> table, IdKind kind, Map<BodyReader, @Nullable String> externalIds) {
        var given = externalIds.values().stream().flatMap(Stream::ofNullable).toList();
        var refused = given.isEmpty() ? Map.<String, UUID>of() : table.findRefused(kind, given);
        var seen = new HashSet<String>();
        externalIds.forEach((body, externalId) -> {
            if (externalId != null) {
                var other = refused.get(externalId);
                if (other != null) {
                    throw conflict(
                            body, TenantTable.taken(kind, externalId, other).detail());
                }
                if (!seen.add(externalId)) {
                    throw conflict(body, "Another %s of the request has it.".formatted(kind.noun()));
                }
            }
        });
    }

    private static Failure conflict(BodyReader body, String detail) {
        return Failure.conflict("%s/external_id: %s".formatted(body.path(), detail));
    }
}
