-- The deliveries of one lane that wait for a retry or the end of a lease. The previous version reads all of them instead
-- of delivery_waiting. This migration does nothing else, because writes to the queue wait while the index is built.
CREATE INDEX delivery_waiting_in_lane ON delivery_pending (organization_id, webhook_id, due_at) WHERE NOT ready;
DROP INDEX delivery_waiting;
