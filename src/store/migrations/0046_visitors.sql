-- The visitors of a partner's website, as HMACs that are deleted after 24 hours.
ALTER TABLE hold ADD COLUMN visitor BLOB;
-- Whether the key released the hold before it expired.
ALTER TABLE hold ADD COLUMN is_returned INTEGER NOT NULL DEFAULT 0 CHECK (is_returned IN (0, 1));
CREATE INDEX hold_identified ON hold (created_at) WHERE visitor IS NOT NULL;

-- The visits and ticket orders that visitors have made.
CREATE TABLE visitor_action (
  visitor BLOB NOT NULL,
  kind    TEXT NOT NULL CHECK (kind IN ('visit', 'order')),
  made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX visitor_action_visitor ON visitor_action (visitor, made_at);
CREATE INDEX visitor_action_age ON visitor_action (made_at);
