-- Only changes of the catalogue, each within milliseconds.
-- When the value of a check-in was measured. NULL means created_at: in rows that existed before, and in rows that the
-- previous version adds during an upgrade. So no row has to be filled. IF NOT EXISTS, because the operator of a large
-- installation can add the columns and indexes before the upgrade (docs/operations/restarts-and-upgrades.md).
ALTER TABLE check_in
    ADD COLUMN IF NOT EXISTS recorded_at timestamptz,
    ADD COLUMN IF NOT EXISTS confidence smallint,
    ADD COLUMN IF NOT EXISTS external_id text;
ALTER TABLE check_in
    ADD CONSTRAINT check_in_confidence CHECK (confidence BETWEEN 0 AND 10) NOT VALID,
    ADD CONSTRAINT check_in_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;

-- The id of a resource in another system.
ALTER TABLE objective ADD COLUMN IF NOT EXISTS external_id text;
ALTER TABLE objective
    ADD CONSTRAINT objective_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;
ALTER TABLE key_result ADD COLUMN IF NOT EXISTS external_id text;
ALTER TABLE key_result
    ADD CONSTRAINT key_result_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;
ALTER TABLE cycle ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255);
ALTER TABLE team ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255);
