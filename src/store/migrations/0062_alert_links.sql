-- Links in alerts, by which the reader accepts or declines a visit that waits for a decision. Only
-- the hash of a link is stored, so each alert that is sent again has a new link.
CREATE TABLE alert_link (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  visit_id    TEXT NOT NULL,
  token_hash  BLOB NOT NULL UNIQUE,
  expires_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX alert_link_visit ON alert_link (visit_id);
CREATE INDEX alert_link_business ON alert_link (business_id);
CREATE INDEX alert_link_expires ON alert_link (expires_at);
