-- A stream of a NATS server, to which events are published besides webhooks.
CREATE TABLE destination (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL UNIQUE,
  url          TEXT NOT NULL,
  stream       TEXT NOT NULL,
  prefix       TEXT NOT NULL,
  -- NULL: all businesses, also those that are created later.
  business_id  TEXT REFERENCES business (id) ON DELETE CASCADE,
  events       TEXT NOT NULL CHECK (json_valid(events)),
  auth         TEXT NOT NULL CHECK (auth IN ('none', 'user', 'token', 'nkey')),
  -- A certificate (PEM); NULL: the certificate authorities that Node trusts.
  ca           TEXT,
  -- The signing secret and the credentials, encrypted with the master key.
  sealed       BLOB NOT NULL,
  -- Rises with each change: the delivery thread then starts anew.
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  -- The daemon writes both: when the oldest event that waits was created, and the last error. NULL
  -- while nothing has waited for long.
  behind_since INTEGER,
  last_error   TEXT
) STRICT;
CREATE INDEX destination_business ON destination (business_id);

-- The last event of a business that the stream has acknowledged; without a row, none.
CREATE TABLE destination_cursor (
  destination_id  TEXT NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
  business_id     TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  sequence        INTEGER NOT NULL,
  -- How often events were redelivered. Those up to redeliver_until get this number in their message ID.
  redelivery      INTEGER NOT NULL,
  redeliver_until INTEGER NOT NULL,
  PRIMARY KEY (destination_id, business_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX destination_cursor_business ON destination_cursor (business_id);

-- Events that were not published, up to a sequence number.
CREATE TABLE destination_skip (
  destination_id TEXT NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
  business_id    TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  sequence       INTEGER NOT NULL,
  -- NULL: several events, which the history no longer has.
  event_id       TEXT,
  reason         TEXT NOT NULL,
  at             INTEGER NOT NULL,
  PRIMARY KEY (destination_id, business_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX destination_skip_business ON destination_skip (business_id);
