-- For the list of all key results. None of these columns changes with a check-in. An index of updated_at would make
-- every check-in write to all indexes of the key result.
CREATE INDEX IF NOT EXISTS key_result_newest ON key_result (organization_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS key_result_by_owner ON key_result (organization_id, owner_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX IF NOT EXISTS key_result_by_external_id
    ON key_result (organization_id, external_id) WHERE external_id IS NOT NULL;

-- A check-in that changes the progress of its objective also changes these two. This costs about 4 % of a check-in.
CREATE INDEX IF NOT EXISTS objective_last_updated ON objective (organization_id, updated_at, id);
CREATE INDEX IF NOT EXISTS objective_by_progress ON objective (organization_id, cycle_id, progress, id);
CREATE UNIQUE INDEX IF NOT EXISTS objective_by_external_id
    ON objective (organization_id, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX cycle_last_updated ON cycle (organization_id, updated_at);
CREATE UNIQUE INDEX cycle_by_external_id ON cycle (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX team_by_external_id ON team (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX alignment_last_updated ON alignment (organization_id, updated_at);
