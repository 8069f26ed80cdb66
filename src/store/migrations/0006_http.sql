-- The newest deleted event of a business. Events are not deleted in order, so the feed begins after
-- the last gap.
ALTER TABLE business ADD COLUMN forgotten_sequence INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER event_forgotten AFTER DELETE ON event BEGIN
  UPDATE business SET forgotten_sequence = OLD.sequence WHERE id = OLD.business_id AND forgotten_sequence < OLD.sequence;
END;

-- Requests that count towards rate limits, by wall-clock second; a client is a key or an address.
-- After a restart, two processes may have counted in the same second.
CREATE TABLE rate_count (
  second  INTEGER NOT NULL,
  client  TEXT NOT NULL,
  process INTEGER NOT NULL,
  count   INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (second, client, process)
) STRICT, WITHOUT ROWID;

-- The endpoint created with an Idempotency-Key. The response itself is not stored.
CREATE TABLE idempotency (
  key_id       TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  endpoint_id  TEXT NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (key_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
