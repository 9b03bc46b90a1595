-- A program of this version reads the words afterwards, as in V25.
INSERT INTO key_result_words (organization_id, id, created_at)
SELECT organization_id, id, created_at FROM key_result ON CONFLICT DO NOTHING;
