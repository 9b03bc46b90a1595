-- The program writes cycle_totals itself, in the transaction that changes an objective. Triggers cannot run in a
-- distributed schema (`okr schema distribute`). They stay here for replicas of the previous version, which rely on them
-- during an upgrade. A transaction of this version sets okr.cycle_totals first, so nothing is counted twice.
-- A later version drops both triggers and their functions, when no replica of the previous version is left.
CREATE OR REPLACE TRIGGER keep_cycle_totals AFTER INSERT OR DELETE ON objective
    FOR EACH ROW WHEN (current_setting('okr.cycle_totals', true) IS DISTINCT FROM 'program')
    EXECUTE FUNCTION keep_cycle_totals();
CREATE OR REPLACE TRIGGER keep_cycle_totals_changed AFTER UPDATE OF cycle_id, progress ON objective
    FOR EACH ROW WHEN (current_setting('okr.cycle_totals', true) IS DISTINCT FROM 'program'
        AND (OLD.cycle_id <> NEW.cycle_id OR OLD.progress <> NEW.progress))
    EXECUTE FUNCTION keep_cycle_totals();
