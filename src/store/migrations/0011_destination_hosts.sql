-- Maximum number of webhook endpoints that a key may have at a time.
ALTER TABLE api_key ADD COLUMN max_endpoints INTEGER NOT NULL DEFAULT 10 CHECK (max_endpoints > 0);

-- When a host last responded with 2xx to a signed request. Other hosts get few requests per hour.
CREATE TABLE verified_host (
  host        TEXT PRIMARY KEY,
  verified_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The requests of the last hour to hosts that are not verified.
CREATE TABLE unverified_request (
  number  INTEGER PRIMARY KEY,
  host    TEXT NOT NULL,
  is_test INTEGER NOT NULL CHECK (is_test IN (0, 1)),
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX unverified_request_host ON unverified_request (host, is_test, at);
