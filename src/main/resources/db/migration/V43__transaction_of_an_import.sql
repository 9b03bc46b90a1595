-- The columns identify the transaction that runs an import, by its server process and its start. The replica that takes
-- the import over ends this transaction. Previous versions do not write these columns. An old value matches no open
-- transaction.
ALTER TABLE import ADD COLUMN backend integer, ADD COLUMN transaction_at timestamptz;
