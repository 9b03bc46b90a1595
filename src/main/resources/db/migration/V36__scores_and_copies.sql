-- Only changes of the catalogue, each within milliseconds. IF NOT EXISTS, because the operator of a large installation
-- can add the columns before the upgrade (docs/operations/restarts-and-upgrades.md).
ALTER TABLE objective
    ADD COLUMN IF NOT EXISTS score numeric(3, 2),
    ADD COLUMN IF NOT EXISTS retrospective text,
    -- The objective of another cycle that this one continues. It may be deleted, so this is not a foreign key.
    ADD COLUMN IF NOT EXISTS carried_over_from uuid;
ALTER TABLE objective
    ADD CONSTRAINT objective_score CHECK (score BETWEEN 0 AND 1) NOT VALID,
    ADD CONSTRAINT objective_retrospective CHECK (char_length(retrospective) <= 4096) NOT VALID;
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
