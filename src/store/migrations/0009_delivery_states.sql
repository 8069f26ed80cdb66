-- SQLite builds a temporary table for every row written if a CHECK has an IN list of more than two
-- values: a quarter of the time of an update. Only that CHECK changes, but this requires recreating
-- the table, and attempt, which references it.
CREATE TABLE delivery_checked (
  -- Rises with each insert, so the delivery worker finds new rows above the last number it has
  -- seen.
  number           INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  business_id      TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  endpoint_id      TEXT NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  event_id         TEXT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  event_type       TEXT NOT NULL,
  sequence         INTEGER NOT NULL,
  status           TEXT NOT NULL CHECK (
    status = 'PENDING' OR status = 'DELIVERED' OR status = 'EXHAUSTED' OR status = 'PARKED' OR status = 'CANCELLED'
    OR status = 'CORRUPT'),
  attempt_count    INTEGER NOT NULL,
  next_attempt_at  INTEGER,
  last_status_code INTEGER,
  last_error       TEXT,
  created_at       INTEGER NOT NULL,
  delivered_at     INTEGER,
  is_replay        INTEGER NOT NULL DEFAULT 0 CHECK (is_replay IN (0, 1)),
  attempts_before  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (event_id, endpoint_id),
  CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
  CHECK ((status = 'DELIVERED') = (delivered_at IS NOT NULL))
) STRICT;
INSERT INTO delivery_checked
  SELECT number, id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count, next_attempt_at,
    last_status_code, last_error, created_at, delivered_at, is_replay, attempts_before
  FROM delivery ORDER BY number;

CREATE TABLE attempt_checked (
  number        INTEGER PRIMARY KEY,
  delivery      INTEGER NOT NULL REFERENCES delivery_checked (number) ON DELETE CASCADE,
  n             INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  duration_ms   INTEGER NOT NULL,
  outcome       TEXT NOT NULL,
  status_code   INTEGER,
  error         TEXT,
  response_text TEXT,
  UNIQUE (delivery, n)
) STRICT;
INSERT INTO attempt_checked
  SELECT number, delivery, n, at, duration_ms, outcome, status_code, error, response_text FROM attempt ORDER BY number;

-- Drop attempt first: dropping a referenced table deletes the rows that reference it.
DROP TABLE attempt;
DROP TABLE delivery;
ALTER TABLE delivery_checked RENAME TO delivery;
ALTER TABLE attempt_checked RENAME TO attempt;

-- Recreate the indexes.
CREATE INDEX delivery_due ON delivery (endpoint_id, is_replay, next_attempt_at) WHERE status = 'PENDING';
CREATE INDEX delivery_undelivered ON delivery (status, id) WHERE status NOT IN ('PENDING', 'DELIVERED');
CREATE INDEX delivery_endpoint ON delivery (endpoint_id, id);
CREATE INDEX delivery_business ON delivery (business_id, id);
CREATE INDEX delivery_owed ON delivery (id) WHERE status = 'PENDING';
CREATE INDEX delivery_retrying ON delivery (id, business_id) WHERE status = 'PENDING' AND attempt_count > attempts_before;
CREATE INDEX delivery_type ON delivery (event_type, id);
