-- Where the daemon of this file listens, for whoever looks on from beside it. Whether it still runs, its lock tells.
CREATE TABLE daemon (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  url        TEXT NOT NULL,
  started_at INTEGER NOT NULL
) STRICT;

-- What is still owed, and what of it has failed before, newest first. Both stay as small as the backlog.
CREATE INDEX delivery_owed ON delivery (id) WHERE status = 'PENDING';
CREATE INDEX delivery_retrying ON delivery (id, business_id) WHERE status = 'PENDING' AND attempt_count > attempts_before;
CREATE INDEX delivery_type ON delivery (event_type, id);
