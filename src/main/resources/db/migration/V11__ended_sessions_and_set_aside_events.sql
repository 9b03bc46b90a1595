-- Sessions of the console whose user signed out. A session is known by a hash of what identifies it at the provider. All
-- organisations share the table, because the session is known before the user.
CREATE TABLE ended_session (
    session_hash bytea PRIMARY KEY CHECK (octet_length(session_hash) = 32),
    expires_at timestamptz NOT NULL
);
CREATE INDEX ended_session_by_expiry ON ended_session (expires_at);

-- How often the fan-out of an event has failed, and when it is tried again. Until then, later events go on. The previous
-- version ignores the columns and tries to fan out such an event with all others.
ALTER TABLE outbox ADD COLUMN failures smallint NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN retry_at timestamptz;
CREATE INDEX outbox_failed ON outbox (organization_id, event_id) WHERE failures > 0;
