-- Every table of a tenant leads its keys with the organisation: a reference across organisations is refused by the
-- schema itself, an organisation's rows lie together, and the tables can be distributed by organisation unchanged.
-- Nothing here is qualified by a schema or needs an extension, so that any owner can install it anywhere.

CREATE TABLE organization (
    id uuid PRIMARY KEY,
    slug text NOT NULL UNIQUE CHECK (char_length(slug) BETWEEN 1 AND 63),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 250),
    plan text NOT NULL CHECK (plan IN ('free', 'team', 'business', 'enterprise')),
    created_at timestamptz NOT NULL,
    -- What the organisation file said when it was last applied: only a changed file changes the row again.
    provisioned_name text,
    provisioned_plan text
);

-- Named in the plural because "user" is a reserved word.
CREATE TABLE users (
    organization_id uuid NOT NULL REFERENCES organization (id),
    id uuid NOT NULL,
    email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    -- Byte order: the same list on every database, whatever its locale.
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 250),
    role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
    created_at timestamptz NOT NULL,
    deactivated_at timestamptz,
    provisioned_name text,
    provisioned_role text,
    PRIMARY KEY (organization_id, id)
);
-- One user of the whole service for an address, in whatever case it is written.
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE INDEX users_by_name ON users (organization_id, name, id);

CREATE TABLE api_key (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 250),
    -- SHA-256 of the token; the token itself is nowhere.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY ['read', 'write', 'webhooks']),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    -- Set for keys of the organisation file: their stable name there.
    provisioned_as text,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id),
    UNIQUE (organization_id, user_id, provisioned_as)
);

CREATE TABLE team (
    organization_id uuid NOT NULL REFERENCES organization (id),
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 250),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, name)
);
CREATE INDEX team_by_name ON team (organization_id, name, id);

CREATE TABLE team_member (
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('lead', 'member')),
    provisioned_role text,
    PRIMARY KEY (organization_id, team_id, user_id),
    FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE INDEX team_member_by_user ON team_member (organization_id, user_id, team_id) INCLUDE (role);

CREATE TABLE cycle (
    organization_id uuid NOT NULL REFERENCES organization (id),
    id uuid NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 250),
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('planned', 'active', 'completed')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (starts_at < ends_at)
);
CREATE INDEX cycle_newest ON cycle (organization_id, created_at DESC, id DESC);
CREATE INDEX cycle_by_status ON cycle (organization_id, status, created_at DESC, id DESC);
-- For the job that moves cycles along with time, the one reader that asks for all organisations at once.
CREATE INDEX cycle_starting ON cycle (status, starts_at);
CREATE INDEX cycle_ending ON cycle (status, ends_at);

CREATE TABLE objective (
    organization_id uuid NOT NULL REFERENCES organization (id),
    id uuid NOT NULL,
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 250),
    description text CHECK (char_length(description) <= 4096),
    owner_id uuid NOT NULL,
    cycle_id uuid NOT NULL,
    team_id uuid,
    -- Derived: the mean of the key results' progress, recalculated under a lock on this row.
    progress numeric(5, 4) NOT NULL CHECK (progress BETWEEN 0 AND 1),
    status text NOT NULL CHECK (status IN ('not_started', 'on_track', 'at_risk', 'behind', 'completed')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, id),
    FOREIGN KEY (organization_id, cycle_id) REFERENCES cycle (organization_id, id),
    FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id)
);
CREATE INDEX objective_newest ON objective (organization_id, created_at DESC, id DESC);
-- With progress, so that a cycle's mean is read from the index alone.
CREATE INDEX objective_by_cycle ON objective (organization_id, cycle_id, created_at DESC, id DESC) INCLUDE (progress);
CREATE INDEX objective_by_team ON objective (organization_id, team_id, created_at DESC, id DESC);
CREATE INDEX objective_by_owner ON objective (organization_id, owner_id, created_at DESC, id DESC);
CREATE INDEX objective_by_status ON objective (organization_id, status, created_at DESC, id DESC);

CREATE TABLE key_result (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    objective_id uuid NOT NULL,
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 250),
    metric_type text NOT NULL CHECK (metric_type IN ('number', 'percentage', 'currency', 'boolean')),
    -- numeric(17, 6) holds the magnitudes of the contract and no infinity, but it would hold NaN.
    start_value numeric(17, 6) NOT NULL CHECK (start_value <> 'NaN'),
    current_value numeric(17, 6) NOT NULL CHECK (current_value <> 'NaN'),
    target_value numeric(17, 6) NOT NULL CHECK (target_value <> 'NaN'),
    progress numeric(5, 4) NOT NULL CHECK (progress BETWEEN 0 AND 1),
    owner_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, objective_id) REFERENCES objective (organization_id, id),
    FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, id),
    CHECK (target_value <> start_value),
    CHECK (metric_type <> 'boolean' OR (start_value = 0 AND target_value = 1 AND current_value IN (0, 1)))
);
CREATE INDEX key_result_by_objective
    ON key_result (organization_id, objective_id, created_at DESC, id DESC) INCLUDE (progress);
CREATE INDEX key_result_by_owner ON key_result (organization_id, owner_id);

CREATE TABLE check_in (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    key_result_id uuid NOT NULL,
    value numeric(17, 6) NOT NULL CHECK (value <> 'NaN'),
    note text CHECK (char_length(note) <= 4096),
    author_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, key_result_id) REFERENCES key_result (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, id)
);
-- Unique, because the first of the list rules the key result's value: no two may tie.
CREATE UNIQUE INDEX check_in_newest ON check_in (organization_id, key_result_id, created_at DESC);
CREATE INDEX check_in_by_author ON check_in (organization_id, author_id);

CREATE TABLE alignment (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    parent_objective_id uuid NOT NULL,
    child_objective_id uuid NOT NULL,
    alignment_type text NOT NULL CHECK (alignment_type IN ('supports', 'contributes_to')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, parent_objective_id) REFERENCES objective (organization_id, id),
    FOREIGN KEY (organization_id, child_objective_id) REFERENCES objective (organization_id, id),
    UNIQUE (organization_id, parent_objective_id, child_objective_id),
    CHECK (parent_objective_id <> child_objective_id)
);
CREATE INDEX alignment_newest ON alignment (organization_id, created_at DESC, id DESC);
CREATE INDEX alignment_by_child ON alignment (organization_id, child_objective_id);

CREATE TABLE webhook (
    organization_id uuid NOT NULL REFERENCES organization (id),
    id uuid NOT NULL,
    url text NOT NULL CHECK (char_length(url) <= 2048),
    events text[] NOT NULL CHECK (cardinality(events) > 0),
    active boolean NOT NULL,
    -- Why the service itself switched it off; none when a person did.
    disabled_reason text CHECK (NOT active OR disabled_reason IS NULL),
    -- AES-256-GCM: nonce, ciphertext and tag; the id tells which of the operator's keys it was.
    secret_key_id text NOT NULL,
    secret_ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX webhook_newest ON webhook (organization_id, created_at DESC, id DESC);
