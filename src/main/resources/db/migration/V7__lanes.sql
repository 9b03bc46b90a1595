-- A lane is the queue of one webhook. The poller finds due lanes with one index, whatever the length of the queue. It
-- then claims deliveries of their webhooks. Lanes are distributed like deliveries. So one transaction on one server
-- makes a delivery and its lane due.
CREATE TABLE delivery_lane (
    organization_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    -- The time of the next visit by a replica, by the clock of the database. A visit is due when a delivery is ready or
    -- due for a retry, or when its lease ends. The value is infinity if there is none. A visit that leaves ready
    -- deliveries sets it to the time of the visit, so that lanes take turns.
    due_at timestamptz NOT NULL,
    -- Whether the last attempt failed. Failing lanes have their own, smaller share of the slots.
    failing boolean NOT NULL,
    -- For a metric. The time since which the first ready delivery had waited for its first attempt, at the last visit.
    waiting_at timestamptz,
    PRIMARY KEY (organization_id, webhook_id),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhook (organization_id, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX delivery_lane_due ON delivery_lane (failing, due_at);

-- The last webhook, in the order of ids, that has its delivery of the event. An event for very many webhooks is fanned
-- out in several transactions. The previous version ignores the column and would queue some deliveries twice.
ALTER TABLE outbox ADD COLUMN fanned_out_to uuid;

-- The next version drops the index outbox_oldest, which the previous version still uses. This version fans out the
-- events of one organisation at a time, by the primary key.

-- This migration adds no lanes. LaneRepair adds the lanes of pending deliveries when a replica of this version starts.
-- It also runs on a schedule, because replicas of the previous version still queue deliveries without lanes.
