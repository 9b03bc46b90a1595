-- Only changes of the catalogue, each within milliseconds. No row is changed.
ALTER TABLE key_result ADD COLUMN weight numeric(7, 3) NOT NULL DEFAULT 1;
ALTER TABLE key_result ADD CONSTRAINT key_result_weight CHECK (weight BETWEEN 0 AND 1000) NOT VALID;
ALTER TABLE deleted_key_result ADD COLUMN weight numeric(7, 3) NOT NULL DEFAULT 1;

-- NULL in rows that existed before, and in rows that the previous version adds during an upgrade. The API shows 1. An
-- alignment of the type contributes_to counts for its parent only with a weight. The program (ContributionFiller) gives
-- it one and calculates the progress of the parent in the same transaction.
ALTER TABLE alignment ADD COLUMN weight numeric(7, 3);
ALTER TABLE alignment ADD CONSTRAINT alignment_weight CHECK (weight BETWEEN 0 AND 1000) NOT VALID;
ALTER TABLE deleted_alignment ADD COLUMN weight numeric(7, 3);

-- Whether it is the parent or the child of an alignment that counts. The progress of all others depends only on their
-- key results, and changes nothing else. IF NOT EXISTS, because the operator of a large installation can add the column
-- and its index before the upgrade (docs/operations/restarts-and-upgrades.md).
ALTER TABLE objective ADD COLUMN IF NOT EXISTS rolls_up boolean NOT NULL DEFAULT false;
