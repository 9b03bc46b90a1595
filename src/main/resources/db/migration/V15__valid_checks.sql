-- Reads the tables once, while requests read and write them.
ALTER TABLE check_in VALIDATE CONSTRAINT check_in_confidence;
ALTER TABLE check_in VALIDATE CONSTRAINT check_in_external_id;
ALTER TABLE objective VALIDATE CONSTRAINT objective_external_id;
ALTER TABLE key_result VALIDATE CONSTRAINT key_result_external_id;
