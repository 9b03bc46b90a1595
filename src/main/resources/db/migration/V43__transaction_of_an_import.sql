-- The transaction that runs an import: its server process and its start. The replica that takes the import over ends
-- this transaction. Previous versions leave both columns as they are. A transaction that has ended is never found.
ALTER TABLE import ADD COLUMN backend integer, ADD COLUMN transaction_at timestamptz;
