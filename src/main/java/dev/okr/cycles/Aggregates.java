package dev.okr.cycles;

import dev.okr.progress.Progress;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What cycles show of their objectives. It is calculated when it is read, from an index that holds the progress: there
 * is no stored sum for concurrent writers to fight over.
 */
record Aggregates(long objectives, BigDecimal progress) {
    static final Aggregates NONE = new Aggregates(0, Progress.NONE);

    private static final String OF_CYCLES = """
            select o.cycleId, count(*), sum(o.progress) from Objective o
            where o.cycleId in :cycleIds group by o.cycleId
            """;

    /** A row of the query. */
    @RegisterForReflection
    record Row(UUID cycleId, long count, BigDecimal sum) {}

    static Map<UUID, Aggregates> of(Collection<UUID> cycleIds) {
        if (cycleIds.isEmpty()) {
            return Map.of();
        }
        var aggregates = new HashMap<UUID, Aggregates>();
        Panache.getSession()
                .createSelectionQuery(OF_CYCLES, Row.class)
                .setParameterList("cycleIds", cycleIds)
                .getResultStream()
                .forEach(row -> aggregates.put(
                        row.cycleId(), new Aggregates(row.count(), Progress.mean(row.sum(), row.count()))));
        return aggregates;
    }

    static Aggregates of(UUID cycleId) {
        return of(List.of(cycleId)).getOrDefault(cycleId, NONE);
    }
}
