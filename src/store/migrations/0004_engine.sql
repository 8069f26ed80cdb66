ALTER TABLE endpoint ADD COLUMN timeout_ms INTEGER NOT NULL DEFAULT 10000 CHECK (timeout_ms BETWEEN 1000 AND 30000);
ALTER TABLE endpoint ADD COLUMN max_in_flight INTEGER NOT NULL DEFAULT 4 CHECK (max_in_flight BETWEEN 1 AND 32);
-- Since the last 2xx: failed attempts, the first event that failed, and failed events (2: two or
-- more).
ALTER TABLE endpoint ADD COLUMN failure_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE endpoint ADD COLUMN failed_event_id TEXT;
ALTER TABLE endpoint ADD COLUMN failed_events INTEGER NOT NULL DEFAULT 0 CHECK (failed_events BETWEEN 0 AND 2);
-- When the operator was alerted, and when the endpoint will be disabled unless it recovers.
ALTER TABLE endpoint ADD COLUMN warned_at INTEGER;
ALTER TABLE endpoint ADD COLUMN disable_at INTEGER;
CREATE INDEX endpoint_failing ON endpoint (failing_since) WHERE failing_since IS NOT NULL;

-- A redelivery has lower priority than new events. Its retry schedule ignores earlier attempts.
ALTER TABLE delivery ADD COLUMN is_replay INTEGER NOT NULL DEFAULT 0 CHECK (is_replay IN (0, 1));
ALTER TABLE delivery ADD COLUMN attempts_before INTEGER NOT NULL DEFAULT 0;
DROP INDEX delivery_due;
-- Due rows of one endpoint, oldest first; only pending rows, so it stays as small as the backlog.
CREATE INDEX delivery_due ON delivery (endpoint_id, is_replay, next_attempt_at) WHERE status = 'PENDING';

-- Numbered in the order in which they end; followers read the rows above the last number they have
-- seen.
CREATE TABLE attempt_in_order (
  number        INTEGER PRIMARY KEY,
  delivery      INTEGER NOT NULL REFERENCES delivery (number) ON DELETE CASCADE,
  n             INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  duration_ms   INTEGER NOT NULL,
  outcome       TEXT NOT NULL,
  status_code   INTEGER,
  error         TEXT,
  response_text TEXT,
  UNIQUE (delivery, n)
) STRICT;
INSERT INTO attempt_in_order (delivery, n, at, duration_ms, outcome, status_code, error, response_text)
  SELECT delivery, n, at, duration_ms, outcome, status_code, error, response_text FROM attempt ORDER BY at;
DROP TABLE attempt;
ALTER TABLE attempt_in_order RENAME TO attempt;

-- Updated in the transactions that change the counted rows, so that a million rows are never
-- counted.
CREATE TABLE delivery_count (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  status      TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (business_id, status)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_count SELECT business_id, status, count(*) FROM delivery GROUP BY business_id, status;

-- Attempts that ended in a minute (epoch minutes).
CREATE TABLE delivery_minute (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  minute      INTEGER NOT NULL,
  delivered   INTEGER NOT NULL,
  failed      INTEGER NOT NULL,
  PRIMARY KEY (business_id, minute)
) STRICT, WITHOUT ROWID;
