-- Counts the changes of an endpoint's settings, status and secrets.
ALTER TABLE endpoint ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
