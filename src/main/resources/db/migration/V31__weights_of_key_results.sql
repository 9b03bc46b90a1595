ALTER TABLE key_result
    ADD COLUMN weight numeric(7, 3) NOT NULL DEFAULT 1,
    ADD CONSTRAINT key_result_weight CHECK (weight BETWEEN 0 AND 1000) NOT VALID;
