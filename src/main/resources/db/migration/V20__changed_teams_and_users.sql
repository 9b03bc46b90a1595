-- NULL means created_at: in rows that existed before, and in rows that the previous version adds during an upgrade. So
-- no row has to be filled.
ALTER TABLE team ADD COLUMN updated_at timestamptz;
ALTER TABLE users ADD COLUMN updated_at timestamptz;
