-- This migration does nothing else, because changes of objectives wait while the table is read twice: less than two
-- seconds for a million objectives. An index that exists already costs nothing.
-- For ContributionFiller, which searches all organisations.
CREATE INDEX IF NOT EXISTS objective_rolling_up ON objective (organization_id, id) WHERE rolls_up;
-- An objective is carried over to a cycle once, also when two requests run at the same moment.
CREATE UNIQUE INDEX IF NOT EXISTS objective_carried_over
    ON objective (organization_id, cycle_id, carried_over_from) WHERE carried_over_from IS NOT NULL;
