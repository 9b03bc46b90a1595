-- Reads the table once, while requests read and write it.
ALTER TABLE objective VALIDATE CONSTRAINT objective_score;
ALTER TABLE objective VALIDATE CONSTRAINT objective_retrospective;
