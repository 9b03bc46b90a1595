-- Each of V29 to V32 and V35 to V37 changes one table, in a transaction of its own. A migration that locks two tables
-- could cause a deadlock with requests. These migrations change only the catalogue, each within milliseconds.
ALTER TABLE deleted_alignment ADD COLUMN weight numeric(7, 3);
