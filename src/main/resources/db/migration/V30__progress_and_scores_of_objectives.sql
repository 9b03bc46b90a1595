-- IF NOT EXISTS, because the operator of a large installation can add the columns and the index of rolls_up before the
-- upgrade (docs/operations/restarts-and-upgrades.md).
ALTER TABLE objective
    -- Whether it is the parent or the child of an alignment that counts. The progress of all others depends only on
    -- their key results, and changes nothing else.
    ADD COLUMN IF NOT EXISTS rolls_up boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS score numeric(3, 2),
    ADD COLUMN IF NOT EXISTS retrospective text,
    -- The objective of another cycle that this one continues. It may be deleted, so this is not a foreign key.
    ADD COLUMN IF NOT EXISTS carried_over_from uuid;
ALTER TABLE objective
    ADD CONSTRAINT objective_score CHECK (score BETWEEN 0 AND 1) NOT VALID,
    ADD CONSTRAINT objective_retrospective CHECK (char_length(retrospective) <= 4096) NOT VALID;
