-- The newest event of a business that is not kept any more. Old ones go one by one, and not in their order: a feed begins after
-- the last gap.
ALTER TABLE business ADD COLUMN forgotten_sequence INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER event_forgotten AFTER DELETE ON event BEGIN
  UPDATE business SET forgotten_sequence = OLD.sequence WHERE id = OLD.business_id AND forgotten_sequence < OLD.sequence;
END;

-- Requests that count towards somebody's limits, by wall-clock second; a client is a key or an address. Of one second two
-- processes may tell, when one follows the other.
CREATE TABLE rate_count (
  second  INTEGER NOT NULL,
  client  TEXT NOT NULL,
  process INTEGER NOT NULL,
  count   INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (second, client, process)
) STRICT, WITHOUT ROWID;

-- What a key's Idempotency-Key has made. The answer is not kept, what was made is.
CREATE TABLE idempotency (
  key_id       TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  endpoint_id  TEXT NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (key_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
