-- Reads the tables once, while requests read and write them.
ALTER TABLE key_result VALIDATE CONSTRAINT key_result_weight;
ALTER TABLE alignment VALIDATE CONSTRAINT alignment_weight;
ALTER TABLE objective VALIDATE CONSTRAINT objective_score;
ALTER TABLE objective VALIDATE CONSTRAINT objective_retrospective;
