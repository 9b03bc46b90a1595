-- Events and their deliveries. What happened is written to `event` and `outbox` in the transaction of the change; the
-- poller turns each row of `outbox` into one `delivery` for each subscription that asked for it.

-- As ids.UuidV7 makes them: ordered by the microsecond, random below it.
CREATE FUNCTION uuid_v7(moment timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
    SELECT (lpad(to_hex(micros / 1000), 12, '0')
        || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
        -- The second half of a random UUID, its variant included.
        || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
    FROM (SELECT (extract(epoch FROM moment) * 1000000)::bigint AS micros) AS t
$$;

-- No foreign keys here: each check would write a lock to the row that it finds, and every change of an organisation
-- appends to it. An event takes its organisation from the transaction that writes the resource itself.
-- Ids are ordered by creation, so that the primary key is the order of the list, newest last.
CREATE TABLE event (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    -- The public id of what it happened to.
    resource_id text NOT NULL,
    created_at timestamptz NOT NULL,
    -- The body of its deliveries to the byte, which is signed.
    payload text NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX event_by_type ON event (organization_id, type, id);
CREATE INDEX event_by_resource ON event (organization_id, resource_id, id);

-- Events that have not been turned into deliveries yet. Seldom more than a few; vacuumed often, since every row goes.
CREATE TABLE outbox (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    PRIMARY KEY (organization_id, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
CREATE INDEX outbox_oldest ON outbox (event_id);

ALTER TABLE webhook
    -- When the first of an unbroken row of failed attempts was made.
    ADD COLUMN failing_since timestamptz,
    -- The secret before the last rotation, which still signs beside the new one until it expires.
    ADD COLUMN previous_secret_key_id text,
    ADD COLUMN previous_secret_ciphertext bytea,
    ADD COLUMN previous_secret_expires_at timestamptz,
    -- Set when it was deactivated, until what it still had to deliver has been cancelled.
    ADD COLUMN cancel_until timestamptz,
    -- A recovery under way: events behind the first id and up to the second are still to be looked at.
    ADD COLUMN recovery_after uuid,
    ADD COLUMN recovery_until uuid,
    -- Deleted for everyone but the job that takes its deliveries away in small batches, and then the row.
    ADD COLUMN deleted_at timestamptz,
    ADD CHECK ((previous_secret_key_id IS NULL) = (previous_secret_ciphertext IS NULL)),
    ADD CHECK ((previous_secret_key_id IS NULL) = (previous_secret_expires_at IS NULL)),
    ADD CHECK ((recovery_after IS NULL) = (recovery_until IS NULL)),
    ADD CHECK (deleted_at IS NULL OR NOT active);
CREATE INDEX webhook_with_work ON webhook (id)
    WHERE cancel_until IS NOT NULL OR recovery_after IS NOT NULL OR deleted_at IS NOT NULL;

-- One event on its way to one webhook. Partitioned by status, so that the hot part holds only what is still to be
-- delivered, however long the history is; a change of status moves the row.
-- No foreign key to the event, for the reason given there; an event is pruned after its deliveries.
CREATE TABLE delivery (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    status text NOT NULL,
    failure_reason text CHECK (status = 'failed' OR failure_reason IS NULL),
    attempts integer NOT NULL,
    -- How many of the retry schedule's delays have been used up.
    retries integer NOT NULL,
    -- A pending delivery is either ready to be claimed, or waits until it is due: for its next attempt or, when it is
    -- claimed, for the end of the claim's lease.
    ready boolean NOT NULL,
    due_at timestamptz,
    claim uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id, status),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhook (organization_id, id)
) PARTITION BY LIST (status);
CREATE TABLE delivery_pending PARTITION OF delivery FOR VALUES IN ('pending')
    WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE TABLE delivery_succeeded PARTITION OF delivery FOR VALUES IN ('succeeded');
CREATE TABLE delivery_failed PARTITION OF delivery FOR VALUES IN ('failed');
ALTER TABLE delivery_pending ADD CHECK (ready = (due_at IS NULL)), ADD CHECK (NOT ready OR claim IS NULL);
CREATE INDEX delivery_newest ON delivery (organization_id, webhook_id, id);
CREATE INDEX delivery_by_event ON delivery (organization_id, event_id, webhook_id);
-- The queue: a lane for each webhook, oldest event first. It has the same few entries at its head however long it is.
CREATE INDEX delivery_ready ON delivery_pending (organization_id, webhook_id, event_id) WHERE ready;
CREATE INDEX delivery_waiting ON delivery_pending (due_at) WHERE NOT ready;

-- Goes with its delivery, whose row has no key that a foreign key could name: it moves between partitions.
CREATE TABLE delivery_attempt (
    organization_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    id uuid NOT NULL,
    attempted_at timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    error text,
    response text,
    PRIMARY KEY (organization_id, delivery_id, id)
);
