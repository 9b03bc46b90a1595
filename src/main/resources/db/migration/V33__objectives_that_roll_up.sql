-- For ContributionFiller, which searches all organisations. It reads the objectives once. Their changes wait.
CREATE INDEX IF NOT EXISTS objective_rolling_up ON objective (organization_id, id) WHERE rolls_up;
