-- Only changes of the catalogue, each within milliseconds. The table of cycles is small.
-- When an admin closed the cycle, and the progress that it had then. No other table says that a cycle is closed.
ALTER TABLE cycle
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN final_progress numeric(5, 4) CHECK (final_progress BETWEEN 0 AND 1),
    ADD CONSTRAINT cycle_closed CHECK ((closed_at IS NULL) = (final_progress IS NULL));
