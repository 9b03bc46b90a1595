-- The words in the texts of objectives and key results, for the filter q. They have their own tables, because check-ins
-- write objectives very often, and would then also write to the index of words.
-- The primary key starts with the id. So only the index of words fits a search, whatever the statistics say.
CREATE TABLE objective_words (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    -- Each word starts with characters of the organisation, so that a search reads only the words of one organisation.
    -- NULL until the program (WordFiller) has read the texts of the objective.
    words tsvector,
    PRIMARY KEY (id, organization_id)
);
-- Without fastupdate, no request has to move the entries that others added.
CREATE INDEX objective_words_found ON objective_words USING gin (words) WITH (fastupdate = off);
CREATE INDEX objective_words_missing ON objective_words (organization_id, id) WHERE words IS NULL;

CREATE TABLE key_result_words (LIKE objective_words);
ALTER TABLE key_result_words ADD PRIMARY KEY (id, organization_id);
CREATE INDEX key_result_words_found ON key_result_words USING gin (words) WITH (fastupdate = off);
CREATE INDEX key_result_words_missing ON key_result_words (organization_id, id) WHERE words IS NULL;

-- The program writes the words itself. The triggers are for replicas of the previous version during an upgrade. A
-- transaction of this version sets okr.words first. A later version drops the triggers and their function.
CREATE FUNCTION forget_words() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_TABLE_NAME = 'objective' THEN
        INSERT INTO objective_words (organization_id, id, created_at)
        VALUES (NEW.organization_id, NEW.id, NEW.created_at)
        ON CONFLICT (id, organization_id) DO UPDATE SET words = NULL;
    ELSE
        INSERT INTO key_result_words (organization_id, id, created_at)
        VALUES (NEW.organization_id, NEW.id, NEW.created_at)
        ON CONFLICT (id, organization_id) DO UPDATE SET words = NULL;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_words_of_new AFTER INSERT ON objective
    FOR EACH ROW WHEN (current_setting('okr.words', true) IS DISTINCT FROM 'program')
    EXECUTE FUNCTION forget_words();
CREATE TRIGGER forget_words_of_changed AFTER UPDATE OF title, description ON objective
    FOR EACH ROW WHEN (current_setting('okr.words', true) IS DISTINCT FROM 'program'
        AND (OLD.title, OLD.description) IS DISTINCT FROM (NEW.title, NEW.description))
    EXECUTE FUNCTION forget_words();
CREATE TRIGGER forget_words_of_new AFTER INSERT ON key_result
    FOR EACH ROW WHEN (current_setting('okr.words', true) IS DISTINCT FROM 'program')
    EXECUTE FUNCTION forget_words();
CREATE TRIGGER forget_words_of_changed AFTER UPDATE OF title ON key_result
    FOR EACH ROW WHEN (current_setting('okr.words', true) IS DISTINCT FROM 'program' AND OLD.title <> NEW.title)
    EXECUTE FUNCTION forget_words();
