-- This migration does nothing else, because check-ins wait while the indexes are built: about 7 s for each million.
-- Indexes that exist already cost nothing. CONCURRENTLY would wait for the transaction in which Flyway holds its lock.

-- No two check-ins of a key result have the same time. The last one determines the current value.
CREATE UNIQUE INDEX IF NOT EXISTS check_in_recorded
    ON check_in (organization_id, key_result_id, (coalesce(recorded_at, created_at)) DESC);
-- For the list of all check-ins, by its order and its filters.
CREATE INDEX IF NOT EXISTS check_in_last_recorded
    ON check_in (organization_id, (coalesce(recorded_at, created_at)) DESC, id DESC);
CREATE INDEX IF NOT EXISTS check_in_by_author ON check_in (organization_id, author_id);
CREATE INDEX IF NOT EXISTS check_in_last_updated ON check_in (organization_id, updated_at);
CREATE UNIQUE INDEX IF NOT EXISTS check_in_by_external_id
    ON check_in (organization_id, external_id) WHERE external_id IS NOT NULL;

-- The previous version sorts the check-ins of one key result instead. It finds them with check_in_recorded.
DROP INDEX check_in_newest;
