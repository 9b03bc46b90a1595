ALTER TABLE deleted_objective
    ADD COLUMN score numeric(3, 2),
    ADD COLUMN retrospective text,
    ADD COLUMN carried_over_from uuid;

-- Values of key results that were set without a check-in, for the progress of the past. No foreign key, because the rows
-- stay while a deleted objective can be restored. The key results keep their ids.
CREATE TABLE key_result_value (
    organization_id uuid NOT NULL,
    key_result_id uuid NOT NULL,
    set_at timestamptz NOT NULL,
    value numeric(17, 6) NOT NULL CHECK (value <> 'NaN'),
    PRIMARY KEY (organization_id, key_result_id, set_at)
);
