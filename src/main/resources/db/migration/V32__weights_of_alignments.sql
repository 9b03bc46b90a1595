-- NULL in rows that existed before, and in rows that the previous version adds during an upgrade. The API shows 1. An
-- alignment of the type contributes_to counts for its parent only with a weight. The program (ContributionFiller) gives
-- it one and calculates the progress of the parent in the same transaction.
ALTER TABLE alignment
    ADD COLUMN weight numeric(7, 3),
    ADD CONSTRAINT alignment_weight CHECK (weight BETWEEN 0 AND 1000) NOT VALID;
