-- The program writes cycle_totals itself, in the transaction that changes an objective. A distributed schema (`okr
-- schema distribute`) cannot have triggers. The triggers stay, because replicas of the previous version need them
-- during an upgrade. A transaction of this version sets okr.cycle_totals first, so that the triggers do not count its
-- changes. A later version drops both triggers and their functions, when no replica of the previous version is left.
CREATE OR REPLACE TRIGGER keep_cycle_totals AFTER INSERT OR DELETE ON objective
    FOR EACH ROW WHEN (current_setting('okr.cycle_totals', true) IS DISTINCT FROM 'program')
    EXECUTE FUNCTION keep_cycle_totals();
CREATE OR REPLACE TRIGGER keep_cycle_totals_changed AFTER UPDATE OF cycle_id, progress ON objective
    FOR EACH ROW WHEN (current_setting('okr.cycle_totals', true) IS DISTINCT FROM 'program'
        AND (OLD.cycle_id <> NEW.cycle_id OR OLD.progress <> NEW.progress))
    EXECUTE FUNCTION keep_cycle_totals();
