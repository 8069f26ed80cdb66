-- The API key in whose name the page of a business books. Nobody knows its secret.
CREATE TABLE page_key (
  business_id TEXT PRIMARY KEY REFERENCES business (id) ON DELETE CASCADE,
  key_id      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The link of a guest to a visit that was made on the page. It ends with the guest's data.
CREATE TABLE page_visit (
  visit_id    TEXT PRIMARY KEY REFERENCES guest (visit_id) ON DELETE CASCADE,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  token_hash  BLOB NOT NULL UNIQUE,
  -- The language in which the guest booked, such as 'de'.
  language    TEXT NOT NULL,
  -- 1 if neither the business nor the guest's mailbox has confirmed the visit.
  unconfirmed INTEGER NOT NULL
) STRICT;
CREATE INDEX page_visit_business ON page_visit (business_id);
