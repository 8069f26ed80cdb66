-- Who changed what, and from where. An entry outlives its subject and its business.
CREATE TABLE audit_entry (
  id           TEXT PRIMARY KEY,
  at           INTEGER NOT NULL,
  via          TEXT NOT NULL CHECK (via IN ('cli', 'http', 'daemon')),
  actor_id     TEXT NOT NULL,
  actor_name   TEXT,
  address      TEXT,
  action       TEXT NOT NULL,
  subject_id   TEXT,
  subject_name TEXT NOT NULL,
  business_id  TEXT,
  details      TEXT NOT NULL CHECK (json_valid(details))
) STRICT, WITHOUT ROWID;

-- Entries made before this time may be deleted. Raised first, so that a stray DELETE fails.
CREATE TABLE audit_retention (
  kept_since INTEGER NOT NULL
) STRICT;
INSERT INTO audit_retention VALUES (0);

-- INSERT OR REPLACE deletes a row without running the triggers of a DELETE.
CREATE TRIGGER audit_entry_insert BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id) BEGIN
  SELECT raise(IGNORE);
END;
CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry BEGIN
  SELECT raise(ABORT, 'The audit log is append-only.');
END;
CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
WHEN OLD.at >= (SELECT kept_since FROM audit_retention) BEGIN
  SELECT raise(ABORT, 'An entry of the audit log is kept until it expires.');
END;
