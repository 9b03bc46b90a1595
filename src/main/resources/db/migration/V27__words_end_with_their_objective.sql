-- Deferred, because the words may be written before their objective. Not validated, because a replica of the previous
-- version may have deleted an objective meanwhile. WordFiller deletes its row.
ALTER TABLE objective_words ADD CONSTRAINT objective_words_objective
    FOREIGN KEY (organization_id, id) REFERENCES objective (organization_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED NOT VALID;
