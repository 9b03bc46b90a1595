-- This migration does nothing else, because changes of objectives wait while the table is read: less than a second for a
-- million objectives. An index that exists already costs nothing.
-- An objective is carried over to a cycle once, also when two requests run at the same moment.
CREATE UNIQUE INDEX IF NOT EXISTS objective_carried_over
    ON objective (organization_id, cycle_id, carried_over_from) WHERE carried_over_from IS NOT NULL;
