package dev.okr.events;

import dev.okr.platform.transactions.Sql;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.UUID;

/** Makes {@link BulkEvents}. */
@Singleton
public class BulkEventsFactory {
    private final EventJson json;

    BulkEventsFactory(EventJson json) {
        this.json = json;
    }

    /**
     * @param sql the transaction of the changes
     * @param notify whether webhooks receive the events
     */
    public BulkEvents begin(Sql sql, UUID organization, UUID actor, Instant now, boolean notify) {
        return new BulkEvents(json, sql, organization, actor, now, notify);
    }
}
