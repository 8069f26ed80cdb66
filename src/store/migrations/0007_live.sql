-- The URL of this file's daemon, for other processes. Its lock shows whether it is still running.
CREATE TABLE daemon (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  url        TEXT NOT NULL,
  started_at INTEGER NOT NULL
) STRICT;

-- Pending deliveries, and those that have failed before, by ID. Both stay as small as the backlog.
CREATE INDEX delivery_owed ON delivery (id) WHERE status = 'PENDING';
CREATE INDEX delivery_retrying ON delivery (id, business_id) WHERE status = 'PENDING' AND attempt_count > attempts_before;
CREATE INDEX delivery_type ON delivery (event_type, id);
