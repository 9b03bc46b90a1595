-- The number of check-ins of a key result, for the limit. The next check-in counts the rows and stores the number. Until
-- then it is NULL. So this migration changes only the catalogue, within milliseconds. Previous versions do not maintain
-- the number. If they run at the same time, the number misses the check-ins that they add and delete. Only the limit
-- depends on it. A CHECK would fail if the number became negative.
ALTER TABLE key_result ADD COLUMN IF NOT EXISTS check_ins integer;
