-- A calendar feed. Its URL has a secret token, of which only the SHA-256 hash is stored.
CREATE TABLE calendar (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  -- The staff member whose visits it has; NULL: those of the whole business.
  staff_id    TEXT,
  with_guests INTEGER NOT NULL CHECK (with_guests IN (0, 1)),
  token_hash  BLOB NOT NULL UNIQUE,
  created_at  INTEGER NOT NULL,
  revoked_at  INTEGER
) STRICT;
CREATE INDEX calendar_business ON calendar (business_id);
