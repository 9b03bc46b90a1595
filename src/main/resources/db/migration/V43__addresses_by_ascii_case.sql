-- Versions before V10 find users with this index. It also makes addresses equal that differ in other letters than those
-- of ASCII, such as k and the Kelvin sign. If V10 has found equal addresses, its own index is not unique. Then the old
-- index stays, because it prevents further ones.
DO $$
BEGIN
    IF (SELECT indisunique FROM pg_index WHERE indexrelid = 'users_email_ascii'::regclass) THEN
        DROP INDEX IF EXISTS users_email;
    END IF;
END
$$;
