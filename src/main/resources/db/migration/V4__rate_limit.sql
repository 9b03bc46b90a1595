-- What is left of each API key's quota, shared by all replicas (contract, section 5). Unlogged, since each key in use
-- is written every second: a crash of the database forgets at most a minute's quota, and a bucket without a row is full.
-- A key's row outlives neither an hour without use nor, by that, its key for long; so there is no foreign key.
CREATE UNLOGGED TABLE rate_limit (
    organization_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    -- Negative when replicas together admitted more than there was: they pay it back.
    tokens double precision NOT NULL,
    refilled_at timestamptz NOT NULL,
    -- How often replicas reported what they had consumed: each that uses the key does once a second.
    reports bigint NOT NULL,
    PRIMARY KEY (organization_id, api_key_id)
) WITH (fillfactor = 50);

-- The replicas that admit requests; one that was not seen for some seconds is gone.
CREATE UNLOGGED TABLE rate_limit_replica (
    id uuid NOT NULL PRIMARY KEY,
    seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
