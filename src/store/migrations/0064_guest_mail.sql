-- Whether guests get mails about visits that the key makes.
ALTER TABLE api_key ADD COLUMN guest_mail INTEGER NOT NULL DEFAULT 0;
-- Whether the daemon mails guests, for commands that change visits.
ALTER TABLE daemon ADD COLUMN mails_guests INTEGER NOT NULL DEFAULT 0;

-- A guest's links to a visit: that of the page, and one of each mail. Only their hashes are stored.
DROP INDEX page_visit_business;
ALTER TABLE page_visit RENAME TO former_page_visit;
CREATE TABLE page_visit (
  -- A visit, an order, or a hold that a link in a mail confirms. It ends with the guest's data.
  visit_id    TEXT PRIMARY KEY REFERENCES guest (visit_id) ON DELETE CASCADE,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  -- The language in which the guest booked, such as 'de'.
  language    TEXT NOT NULL,
  -- 1 if neither the business nor the guest's mailbox has confirmed the visit.
  unconfirmed INTEGER NOT NULL
) STRICT;
CREATE INDEX page_visit_business ON page_visit (business_id);
CREATE TABLE guest_link (
  token_hash BLOB PRIMARY KEY,
  visit_id   TEXT NOT NULL REFERENCES page_visit (visit_id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX guest_link_visit ON guest_link (visit_id);
INSERT INTO page_visit SELECT visit_id, business_id, language, unconfirmed FROM former_page_visit;
INSERT INTO guest_link SELECT token_hash, visit_id, 0 FROM former_page_visit;
DROP TABLE former_page_visit;

-- Mails to guests, written in the transaction of their cause. They are erased with the guest.
CREATE TABLE guest_mail (
  id              TEXT PRIMARY KEY,
  business_id     TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  visit_id        TEXT NOT NULL REFERENCES guest (visit_id) ON DELETE CASCADE,
  kind            TEXT NOT NULL,
  -- The state of the visit that the mail tells, as JSON.
  facts           TEXT NOT NULL CHECK (json_valid(facts)),
  status          TEXT NOT NULL CHECK (status IN ('WAITING', 'SENT', 'FAILED', 'DISCARDED')),
  -- Why it was not sent, such as '550 5.1.1'; never an address.
  reason          TEXT,
  attempts        INTEGER NOT NULL,
  -- NULL unless it waits.
  next_attempt_at INTEGER,
  created_at      INTEGER NOT NULL,
  -- When it is of no use any more.
  expires_at      INTEGER NOT NULL,
  -- When it was sent or given up.
  ended_at        INTEGER
) STRICT;
CREATE INDEX guest_mail_due ON guest_mail (next_attempt_at) WHERE status = 'WAITING';
CREATE INDEX guest_mail_visit ON guest_mail (visit_id);
CREATE INDEX guest_mail_business ON guest_mail (business_id);
CREATE INDEX guest_mail_unsent ON guest_mail (ended_at) WHERE status IN ('FAILED', 'DISCARDED');

-- Mails that count towards a limit: each row has the HMAC of what the limit is for, such as a
-- mailbox. Rows are deleted after 24 hours.
CREATE TABLE guest_mail_count (
  subject BLOB NOT NULL,
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX guest_mail_count_subject ON guest_mail_count (subject, at);
CREATE INDEX guest_mail_count_age ON guest_mail_count (at);

CREATE TABLE guest_mail_state (
  id             INTEGER PRIMARY KEY CHECK (id = 1),
  -- The start of the latest visits about which reminders were written.
  reminded_until INTEGER NOT NULL,
  -- Since when the mail server fails, how often in a row, and its last error.
  failing_since  INTEGER,
  failures       INTEGER NOT NULL DEFAULT 0,
  error          TEXT,
  sent           INTEGER NOT NULL DEFAULT 0,
  failed         INTEGER NOT NULL DEFAULT 0,
  discarded      INTEGER NOT NULL DEFAULT 0
) STRICT;
