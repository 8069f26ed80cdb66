-- The terms of ticket orders that guests make on the page of a business.
UPDATE business SET doc = json_insert(doc, '$.publicPage.orders',
  json('{"payWithinHours":48,"maxQuotaPercent":20}'));

-- 1 if the admission codes of the order's tickets are kept until the event ends, for the guest's page.
ALTER TABLE ticket_order ADD COLUMN keeps_codes INTEGER NOT NULL DEFAULT 0;

-- Admission codes, encrypted with the master key. They end with the guest's data.
CREATE TABLE ticket_code (
  ticket_id TEXT PRIMARY KEY REFERENCES ticket (id) ON DELETE CASCADE,
  order_id  TEXT NOT NULL REFERENCES guest (visit_id) ON DELETE CASCADE,
  sealed    BLOB NOT NULL
) STRICT;
CREATE INDEX ticket_code_order ON ticket_code (order_id);

-- When the page last refused a visit because those that nobody has confirmed take too much time.
ALTER TABLE page_key ADD COLUMN share_refused_at INTEGER;
