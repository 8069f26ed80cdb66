-- Until now only creations of endpoints were kept, without their response. One that was sent before
-- the upgrade cannot be repeated after it.
DROP TABLE idempotency;

-- The reply to a POST request with an Idempotency-Key. `sealed` also has the key of the HMAC-SHA256 of the
-- request, so that a copy of the database does not reveal the request either.
CREATE TABLE idempotency (
  key_id       TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  request_hmac BLOB NOT NULL,
  sealed       BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (key_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
