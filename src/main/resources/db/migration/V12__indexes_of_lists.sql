-- Flyway runs this without a transaction, because the tables may be large. Writes do not wait. If it was interrupted,
-- `okr schema migrate` starts it again.

-- No two check-ins of a key result have the same time. The first one determines the current value.
DROP INDEX CONCURRENTLY IF EXISTS check_in_recorded;
CREATE UNIQUE INDEX CONCURRENTLY check_in_recorded
    ON check_in (organization_id, key_result_id, (coalesce(recorded_at, created_at)) DESC);
-- For the list of all check-ins, by its order and its filters.
DROP INDEX CONCURRENTLY IF EXISTS check_in_last_recorded;
CREATE INDEX CONCURRENTLY check_in_last_recorded
    ON check_in (organization_id, (coalesce(recorded_at, created_at)) DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS check_in_by_author;
CREATE INDEX CONCURRENTLY check_in_by_author ON check_in (organization_id, author_id);
DROP INDEX CONCURRENTLY IF EXISTS check_in_last_updated;
CREATE INDEX CONCURRENTLY check_in_last_updated ON check_in (organization_id, updated_at);
DROP INDEX CONCURRENTLY IF EXISTS check_in_by_external_id;
CREATE UNIQUE INDEX CONCURRENTLY check_in_by_external_id
    ON check_in (organization_id, external_id) WHERE external_id IS NOT NULL;

-- For the list of all key results. None of these columns changes with a check-in. An index of updated_at would make
-- every check-in write to all indexes of the key result.
DROP INDEX CONCURRENTLY IF EXISTS key_result_newest;
CREATE INDEX CONCURRENTLY key_result_newest ON key_result (organization_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS key_result_by_owner;
CREATE INDEX CONCURRENTLY key_result_by_owner ON key_result (organization_id, owner_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS key_result_by_external_id;
CREATE UNIQUE INDEX CONCURRENTLY key_result_by_external_id
    ON key_result (organization_id, external_id) WHERE external_id IS NOT NULL;

-- A check-in that changes the progress of its objective also changes these two. This costs about 4 % of a check-in.
DROP INDEX CONCURRENTLY IF EXISTS objective_last_updated;
CREATE INDEX CONCURRENTLY objective_last_updated ON objective (organization_id, updated_at, id);
DROP INDEX CONCURRENTLY IF EXISTS objective_by_progress;
CREATE INDEX CONCURRENTLY objective_by_progress ON objective (organization_id, cycle_id, progress, id);
DROP INDEX CONCURRENTLY IF EXISTS objective_by_external_id;
CREATE UNIQUE INDEX CONCURRENTLY objective_by_external_id
    ON objective (organization_id, external_id) WHERE external_id IS NOT NULL;

DROP INDEX CONCURRENTLY IF EXISTS cycle_last_updated;
CREATE INDEX CONCURRENTLY cycle_last_updated ON cycle (organization_id, updated_at);
DROP INDEX CONCURRENTLY IF EXISTS cycle_by_external_id;
CREATE UNIQUE INDEX CONCURRENTLY cycle_by_external_id
    ON cycle (organization_id, external_id) WHERE external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS team_by_external_id;
CREATE UNIQUE INDEX CONCURRENTLY team_by_external_id
    ON team (organization_id, external_id) WHERE external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS alignment_last_updated;
CREATE INDEX CONCURRENTLY alignment_last_updated ON alignment (organization_id, updated_at);
