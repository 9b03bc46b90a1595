ALTER TABLE deleted_key_result ADD COLUMN weight numeric(7, 3) NOT NULL DEFAULT 1;
