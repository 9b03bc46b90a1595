-- Who did what to keys, people, teams and webhooks. Written in the transaction of the change. No entry names a person
-- but by id. The name of an API key may tell whose it is: erasing someone's data takes those names out, and leaves the
-- rest of the log as it is.
CREATE TABLE audit_entry (
    organization_id uuid NOT NULL REFERENCES organization (id),
    -- Ordered by creation, so that the primary key is the order of the list.
    id uuid NOT NULL,
    actor text NOT NULL CHECK (actor IN ('user', 'operator', 'organization_file', 'service')),
    user_id uuid,
    action text NOT NULL,
    -- The public id of what it was done to, and the name that it had, unless it is a person.
    subject_id text NOT NULL,
    subject_name text,
    detail text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id),
    CHECK ((actor = 'user') = (user_id IS NOT NULL))
);

ALTER TABLE users ADD COLUMN erased_at timestamptz CHECK (erased_at IS NULL OR deactivated_at IS NOT NULL);

-- The key that took the place of this one when it was rotated.
ALTER TABLE api_key ADD COLUMN replaced_by_id uuid;
CREATE INDEX api_key_newest ON api_key (organization_id, created_at DESC, id DESC);
CREATE INDEX api_key_by_user ON api_key (organization_id, user_id, created_at DESC, id DESC);
