-- A program of this version reads the words afterwards, in small batches. Requests continue meanwhile. Each of V25 to V28
-- has one statement. Otherwise requests would wait for all of them, or a transaction could hold two locks.
INSERT INTO objective_words (organization_id, id, created_at)
SELECT organization_id, id, created_at FROM objective ON CONFLICT DO NOTHING;
