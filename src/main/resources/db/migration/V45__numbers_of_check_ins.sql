-- The number of check-ins of a key result, for the limit. NULL until the next check-in counts them. So this migration
-- changes only the catalogue, within milliseconds. Previous versions do not maintain the number. If they run beside this
-- version, it is wrong by what they add and delete. It only decides about the limit, so this does no harm. There is no
-- CHECK, because it could become negative.
ALTER TABLE key_result ADD COLUMN IF NOT EXISTS check_ins integer;
