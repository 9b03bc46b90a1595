-- Responses to requests with an Idempotency-Key, kept for a day to be repeated (contract, section 5).
CREATE TABLE idempotent_response (
    organization_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    -- SHA-256 of method, path and idempotency key: paths are longer than an index can hold.
    route_and_key_hash bytea NOT NULL,
    -- SHA-256 of the request's body: another body under the same key is a mistake.
    body_hash bytea NOT NULL,
    status integer NOT NULL,
    content_type text NOT NULL,
    location text,
    etag text,
    -- As it was sent, or encrypted with this key when it bears a secret.
    body bytea NOT NULL,
    secret_key_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, api_key_id, route_and_key_hash),
    FOREIGN KEY (organization_id, api_key_id) REFERENCES api_key (organization_id, id)
);
CREATE INDEX idempotent_response_oldest ON idempotent_response (created_at);
