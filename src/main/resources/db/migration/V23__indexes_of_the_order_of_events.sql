-- This migration does nothing else, because changes wait while the first index is built: about 1 s for each million
-- events. Indexes that exist already cost nothing.
-- The events without a place, in the order in which they get one.
CREATE INDEX IF NOT EXISTS event_without_position ON event (organization_id, written_at NULLS FIRST, id)
    WHERE position IS NULL;
-- No two events of an organisation have the same place.
CREATE UNIQUE INDEX IF NOT EXISTS event_by_position ON event (organization_id, position) WHERE position IS NOT NULL;
