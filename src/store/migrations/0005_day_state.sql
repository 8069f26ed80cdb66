-- State for day-to-day changes, and for catalog changes caused by time alone.

ALTER TABLE business ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE business ADD COLUMN told_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE business ADD COLUMN next_transition_at INTEGER;
CREATE INDEX business_transition ON business (next_transition_at) WHERE next_transition_at IS NOT NULL;

-- A sold-out dish or modifier option, until a time or until it is marked available.
CREATE TABLE sold_out (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  object_id   TEXT NOT NULL,
  until       INTEGER,
  PRIMARY KEY (business_id, object_id)
) STRICT, WITHOUT ROWID;
