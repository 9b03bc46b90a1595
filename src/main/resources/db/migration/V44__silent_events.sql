-- Webhooks never receive silent events: imports without notify=true write them. Previous versions write false. Only a
-- change of the catalogue, within milliseconds. The constant default changes no rows.
ALTER TABLE event ADD COLUMN silent boolean NOT NULL DEFAULT false;
