-- What cycles show of their objectives, kept with every change of an objective instead of counted with every look.
-- Each session of the database adds to one of 32 rows of a cycle, so that those who change objectives of one cycle at
-- the same moment seldom wait for each other; the sum over the rows is exact at every commit.
CREATE TABLE cycle_totals (
    organization_id uuid NOT NULL,
    cycle_id uuid NOT NULL,
    slot smallint NOT NULL,
    -- Of one row they may be negative; of all rows of a cycle they are not.
    objectives bigint NOT NULL,
    progress numeric NOT NULL,
    PRIMARY KEY (organization_id, cycle_id, slot),
    FOREIGN KEY (organization_id, cycle_id) REFERENCES cycle (organization_id, id)
) WITH (fillfactor = 50);

CREATE FUNCTION add_to_cycle_totals(organization uuid, cycle uuid, more_objectives bigint, more_progress numeric)
    RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
    own smallint := pg_backend_pid() % 32;
BEGIN
    UPDATE cycle_totals t SET objectives = t.objectives + more_objectives, progress = t.progress + more_progress
    WHERE t.organization_id = organization AND t.cycle_id = cycle AND t.slot = own;
    -- Another session with this slot may add the row at the same moment.
    IF NOT FOUND THEN
        INSERT INTO cycle_totals AS t (organization_id, cycle_id, slot, objectives, progress)
        VALUES (organization, cycle, own, more_objectives, more_progress)
        ON CONFLICT (organization_id, cycle_id, slot)
        DO UPDATE SET objectives = t.objectives + excluded.objectives, progress = t.progress + excluded.progress;
    END IF;
END
$$;

CREATE FUNCTION keep_cycle_totals() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM add_to_cycle_totals(NEW.organization_id, NEW.cycle_id, 1, NEW.progress);
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM add_to_cycle_totals(OLD.organization_id, OLD.cycle_id, -1, -OLD.progress);
    ELSIF NEW.cycle_id = OLD.cycle_id THEN
        PERFORM add_to_cycle_totals(NEW.organization_id, NEW.cycle_id, 0, NEW.progress - OLD.progress);
    -- The rows of two cycles are locked in the order of the cycles: two moves in opposite directions meet in no ring.
    ELSIF NEW.cycle_id < OLD.cycle_id THEN
        PERFORM add_to_cycle_totals(NEW.organization_id, NEW.cycle_id, 1, NEW.progress);
        PERFORM add_to_cycle_totals(OLD.organization_id, OLD.cycle_id, -1, -OLD.progress);
    ELSE
        PERFORM add_to_cycle_totals(OLD.organization_id, OLD.cycle_id, -1, -OLD.progress);
        PERFORM add_to_cycle_totals(NEW.organization_id, NEW.cycle_id, 1, NEW.progress);
    END IF;
    RETURN NULL;
END
$$;

-- Nobody changes an objective between the first count and the triggers.
LOCK TABLE objective IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER keep_cycle_totals AFTER INSERT OR DELETE ON objective
    FOR EACH ROW EXECUTE FUNCTION keep_cycle_totals();
CREATE TRIGGER keep_cycle_totals_changed AFTER UPDATE OF cycle_id, progress ON objective
    FOR EACH ROW WHEN (OLD.cycle_id <> NEW.cycle_id OR OLD.progress <> NEW.progress) EXECUTE FUNCTION keep_cycle_totals();
INSERT INTO cycle_totals (organization_id, cycle_id, slot, objectives, progress)
SELECT organization_id, cycle_id, 0, count(*), sum(progress) FROM objective GROUP BY organization_id, cycle_id;

-- Progress is no longer read from indexes. Without it in them, a check-in changes no indexed column, and its updates of
-- objective and key result touch no index at all where the page has room (HOT).
CREATE INDEX objective_in_cycle ON objective (organization_id, cycle_id, created_at DESC, id DESC);
DROP INDEX objective_by_cycle;
ALTER INDEX objective_in_cycle RENAME TO objective_by_cycle;
CREATE INDEX key_result_of_objective ON key_result (organization_id, objective_id, created_at DESC, id DESC);
DROP INDEX key_result_by_objective;
ALTER INDEX key_result_of_objective RENAME TO key_result_by_objective;
ALTER TABLE objective SET (fillfactor = 85);
ALTER TABLE key_result SET (fillfactor = 85);

-- No operation asks by them, and no user is ever deleted.
DROP INDEX check_in_by_author;
DROP INDEX key_result_by_owner;
