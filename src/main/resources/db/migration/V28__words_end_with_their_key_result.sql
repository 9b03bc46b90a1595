-- Deferred, because the words may be written before their key result. Not validated, because a replica of the previous
-- version may have deleted a key result meanwhile. WordFiller deletes its row.
ALTER TABLE key_result_words ADD CONSTRAINT key_result_words_key_result
    FOREIGN KEY (organization_id, id) REFERENCES key_result (organization_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED NOT VALID;
