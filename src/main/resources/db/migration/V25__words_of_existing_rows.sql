-- A program of this version reads the words afterwards, in small batches. Requests continue meanwhile.
INSERT INTO objective_words (organization_id, id, created_at)
SELECT organization_id, id, created_at FROM objective ON CONFLICT DO NOTHING;
INSERT INTO key_result_words (organization_id, id, created_at)
SELECT organization_id, id, created_at FROM key_result ON CONFLICT DO NOTHING;

-- Deferred, because the words may be written before their objective. Not validated, because a replica of the previous
-- version may have deleted an objective meanwhile. WordFiller deletes its row.
ALTER TABLE objective_words ADD CONSTRAINT objective_words_objective
    FOREIGN KEY (organization_id, id) REFERENCES objective (organization_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED NOT VALID;
ALTER TABLE key_result_words ADD CONSTRAINT key_result_words_key_result
    FOREIGN KEY (organization_id, id) REFERENCES key_result (organization_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED NOT VALID;
