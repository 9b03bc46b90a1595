-- Finds the deliveries of one lane that wait for a retry or the end of a lease. This migration does nothing else,
-- because writes to the queue wait while the index is built. The next version drops the index delivery_waiting, which
-- only the previous version uses.
CREATE INDEX delivery_waiting_in_lane ON delivery_pending (organization_id, webhook_id, due_at) WHERE NOT ready;
