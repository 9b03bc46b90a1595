-- Only versions before V7 use these indexes. Those versions have no lanes. Each claim and each retry wrote to
-- delivery_waiting. A fan-out locks outbox first, so this migration does too.
DROP INDEX outbox_oldest;
DROP INDEX delivery_waiting;
