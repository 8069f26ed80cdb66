-- What belongs to the day's work, and what the clock does to the catalog.

ALTER TABLE business ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE business ADD COLUMN told_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE business ADD COLUMN next_transition_at INTEGER;
CREATE INDEX business_transition ON business (next_transition_at) WHERE next_transition_at IS NOT NULL;

-- A dish or a modifier's option that is out, until a time or until somebody says so.
CREATE TABLE sold_out (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  object_id   TEXT NOT NULL,
  until       INTEGER,
  PRIMARY KEY (business_id, object_id)
) STRICT, WITHOUT ROWID;
