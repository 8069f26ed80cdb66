-- Counts the changes of each object. Objects of earlier versions start at 1, whatever their status.
ALTER TABLE booking ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE reservation ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE ticket_order ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE ticket ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
