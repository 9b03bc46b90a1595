-- Only versions without lanes (before V7) use these indexes. Each claim and each retry wrote delivery_waiting. The order
-- is that of a fan-out, which locks outbox first.
DROP INDEX outbox_oldest;
DROP INDEX delivery_waiting;
