-- A desk is a page for the people in the shop. It has no secret of its own: its devices have.
CREATE TABLE desk (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  -- The only staff member whose visits it shows; NULL: the whole business.
  staff_id    TEXT,
  -- A JSON array of what it shows and changes.
  allow       TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  revoked_at  INTEGER
) STRICT;
CREATE UNIQUE INDEX desk_name ON desk (business_id, name) WHERE revoked_at IS NULL;
CREATE INDEX desk_business ON desk (business_id);

-- The link that pairs one device with a desk. A new link replaces the one before.
CREATE TABLE desk_link (
  desk_id    TEXT PRIMARY KEY REFERENCES desk (id) ON DELETE CASCADE,
  token_hash BLOB NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE desk_device (
  id         TEXT PRIMARY KEY,
  desk_id    TEXT NOT NULL REFERENCES desk (id) ON DELETE CASCADE,
  token_hash BLOB NOT NULL UNIQUE,
  -- What the browser says it runs on, such as iPhone.
  kind       TEXT NOT NULL,
  paired_at  INTEGER NOT NULL,
  used_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX desk_device_desk ON desk_device (desk_id);

-- What came of each action, so that one that is sent again is not done twice. It has no guest data.
CREATE TABLE desk_action (
  device_id TEXT NOT NULL REFERENCES desk_device (id) ON DELETE CASCADE,
  token     TEXT NOT NULL,
  at        INTEGER NOT NULL,
  outcome   TEXT NOT NULL,
  PRIMARY KEY (device_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX desk_action_at ON desk_action (at);
