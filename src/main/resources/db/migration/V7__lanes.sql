-- A lane is the queue of one webhook. The poller finds due lanes by one index, whatever the length of the queue, and
-- then claims deliveries of exactly that webhook. A lane is distributed like the deliveries of its organisation. So a
-- transaction that makes a delivery due also makes its lane due.
CREATE TABLE delivery_lane (
    organization_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    -- When a replica has to visit the lane, by the clock of the database. It is not later than the first delivery that is
    -- ready, due for a retry, or at the end of its lease. It is infinity if there is none. A visit that leaves ready
    -- deliveries sets it to the time of the visit, so that lanes take turns.
    due_at timestamptz NOT NULL,
    -- Whether the last attempt failed. Failing lanes have their own, smaller share of the slots.
    failing boolean NOT NULL,
    -- For a metric: since when the first ready delivery waited for its first attempt, at the last visit.
    waiting_at timestamptz,
    PRIMARY KEY (organization_id, webhook_id),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhook (organization_id, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX delivery_lane_due ON delivery_lane (failing, due_at);

-- The last webhook, in the order of ids, that has its delivery of the event. An event for very many webhooks is fanned
-- out in several transactions. The previous version ignores the column and would queue some deliveries twice.
ALTER TABLE outbox ADD COLUMN fanned_out_to uuid;

-- The next version drops the index outbox_oldest. Fan-out works on one organisation after the other, by the primary key.
-- The previous version still uses the index.

-- LaneRepair adds the lanes of pending deliveries when a replica of this version starts. Replicas of the previous version
-- go on to queue deliveries without lanes, so it repeats that.
