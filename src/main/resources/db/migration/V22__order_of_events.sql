-- Only changes of the catalogue, each within milliseconds. IF NOT EXISTS, because the operator of a large installation
-- can add the columns and indexes before the upgrade (docs/operations/restarts-and-upgrades.md).
-- When the database wrote the row. The default also applies to rows of the previous version. NULL in rows that existed
-- before. The clock of the database, because the clocks of two replicas differ.
ALTER TABLE event
    ADD COLUMN IF NOT EXISTS written_at timestamptz,
    -- The place in the list with order=asc, see EventOrder. NULL until a reader of the list needs it.
    ADD COLUMN IF NOT EXISTS position bigint;
ALTER TABLE event ALTER COLUMN written_at SET DEFAULT clock_timestamp();
