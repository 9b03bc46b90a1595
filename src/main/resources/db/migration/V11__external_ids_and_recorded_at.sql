-- Only changes of the catalogue, each within milliseconds. V12 and V13 do the work that takes long.
-- When the value of a check-in was measured. NULL means created_at: in rows that existed before, and in rows that the
-- previous version adds during an upgrade. So no row has to be filled.
ALTER TABLE check_in
    ADD COLUMN recorded_at timestamptz,
    ADD COLUMN confidence smallint,
    ADD COLUMN external_id text;
ALTER TABLE check_in
    ADD CONSTRAINT check_in_confidence CHECK (confidence BETWEEN 0 AND 10) NOT VALID,
    ADD CONSTRAINT check_in_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;

-- The id of a resource in another system.
ALTER TABLE objective ADD COLUMN external_id text;
ALTER TABLE objective
    ADD CONSTRAINT objective_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;
ALTER TABLE key_result ADD COLUMN external_id text;
ALTER TABLE key_result
    ADD CONSTRAINT key_result_external_id CHECK (char_length(external_id) BETWEEN 1 AND 255) NOT VALID;
ALTER TABLE cycle ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255);
ALTER TABLE team ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255);
