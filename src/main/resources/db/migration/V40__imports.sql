-- Imports of data, and the files that were uploaded for them. New tables only.
CREATE TABLE import (
    organization_id uuid NOT NULL REFERENCES organization (id),
    -- Ordered by creation. The imports of an organisation run in this order.
    id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('uploading', 'pending', 'running', 'succeeded', 'failed')),
    dry_run boolean NOT NULL,
    notify boolean NOT NULL,
    -- A command runs its import itself. No replica takes it over.
    by_command boolean NOT NULL,
    -- The admin in whose name it runs.
    user_id uuid NOT NULL,
    gzip boolean NOT NULL,
    bytes bigint NOT NULL,
    lines bigint NOT NULL DEFAULT 0,
    progress numeric(5, 4) NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 1),
    created_lines bigint NOT NULL DEFAULT 0,
    updated_lines bigint NOT NULL DEFAULT 0,
    unchanged_lines bigint NOT NULL DEFAULT 0,
    rejected_lines bigint NOT NULL DEFAULT 0,
    -- The first errors, as a JSON array.
    errors text NOT NULL DEFAULT '[]',
    -- Who runs it, and until when nobody else may. By the clock of the database.
    lease uuid,
    lease_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id),
    CHECK ((lease IS NULL) = (lease_until IS NULL))
);
-- For the job, which searches all organisations.
CREATE INDEX import_unfinished ON import (organization_id, id) WHERE status IN ('pending', 'running');
CREATE INDEX import_oldest ON import (created_at);
CREATE INDEX import_with_file ON import (organization_id, id) WHERE status IN ('succeeded', 'failed') AND bytes > 0;

-- A part of the uploaded file, as it arrived.
CREATE TABLE import_piece (
    organization_id uuid NOT NULL,
    import_id uuid NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (organization_id, import_id, number),
    FOREIGN KEY (organization_id, import_id) REFERENCES import (organization_id, id) ON DELETE CASCADE
);
-- The file may be compressed already. To compress each piece again would cost more than it saves.
ALTER TABLE import_piece ALTER COLUMN content SET STORAGE EXTERNAL;
