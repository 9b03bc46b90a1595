-- Addresses are equal if they differ only in the case of ASCII letters. lower() also folds other letters, and makes the
-- Kelvin sign a k. Replicas of the previous version still need the index users_email.
DO $$
DECLARE
    collision record;
BEGIN
    CREATE UNIQUE INDEX users_email_ascii ON users (lower(email COLLATE "C"));
EXCEPTION WHEN unique_violation THEN
    -- Some locales, such as the Turkish ones, fold ASCII letters in another way.
    FOR collision IN
        SELECT string_agg(id::text, ', ' ORDER BY created_at) AS ids FROM users
        GROUP BY lower(email COLLATE "C") HAVING count(*) > 1
    LOOP
        RAISE WARNING 'These users have the same email address: %. Erase all but one.', collision.ids;
    END LOOP;
    CREATE INDEX users_email_ascii ON users (lower(email COLLATE "C"));
END
$$;
