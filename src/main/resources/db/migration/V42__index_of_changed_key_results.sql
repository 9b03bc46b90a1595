-- For updated_since and sort=updated_at in the list of all key results. Without the index, a search of 10,000,000 key
-- results takes more than 3 s. A check-in that changes the value then writes to all indexes of its key result, because
-- the update is no longer HOT. This takes about 20 µs of the database.
-- The index takes about 2 s to build for each million rows. Check-ins wait meanwhile, so this migration does nothing
-- else. If the index already exists, the migration does nothing.
CREATE INDEX IF NOT EXISTS key_result_last_updated ON key_result (organization_id, updated_at, id);
