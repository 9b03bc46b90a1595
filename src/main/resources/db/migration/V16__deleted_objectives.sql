-- Deleted objectives, with their key results, check-ins and alignments. They can be restored for 30 days. They have
-- their own tables, so that reading other objectives does not become slower. The first columns are those of the tables
-- of objectives, key results, check-ins and alignments. Their cycle and team may be deleted meanwhile, so these rows
-- refer to no other tables.
CREATE TABLE deleted_objective (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    external_id text,
    title text NOT NULL,
    description text,
    owner_id uuid NOT NULL,
    cycle_id uuid NOT NULL,
    team_id uuid,
    progress numeric(5, 4) NOT NULL,
    status text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz NOT NULL,
    deleted_by uuid NOT NULL,
    key_results_count bigint NOT NULL,
    check_ins_count bigint NOT NULL,
    alignments_count bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX deleted_objective_newest ON deleted_objective (organization_id, deleted_at DESC, id DESC);
-- For the job that deletes them finally. It searches all organisations.
CREATE INDEX deleted_objective_oldest ON deleted_objective (deleted_at);

CREATE TABLE deleted_key_result (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    external_id text,
    objective_id uuid NOT NULL,
    title text NOT NULL,
    metric_type text NOT NULL,
    start_value numeric(17, 6) NOT NULL,
    current_value numeric(17, 6) NOT NULL,
    target_value numeric(17, 6) NOT NULL,
    progress numeric(5, 4) NOT NULL,
    owner_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, objective_id) REFERENCES deleted_objective (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deleted_key_result_by_objective ON deleted_key_result (organization_id, objective_id);

-- Without a foreign key, because checking it would take more than half of the time of a deletion.
CREATE TABLE deleted_check_in (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    external_id text,
    key_result_id uuid NOT NULL,
    value numeric(17, 6) NOT NULL,
    note text,
    confidence smallint,
    author_id uuid NOT NULL,
    recorded_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX deleted_check_in_by_key_result ON deleted_check_in (organization_id, key_result_id);

-- At least one of the two objectives is deleted. If both are, the alignment returns with the second one.
CREATE TABLE deleted_alignment (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    parent_objective_id uuid NOT NULL,
    child_objective_id uuid NOT NULL,
    alignment_type text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX deleted_alignment_by_parent ON deleted_alignment (organization_id, parent_objective_id);
CREATE INDEX deleted_alignment_by_child ON deleted_alignment (organization_id, child_objective_id);
