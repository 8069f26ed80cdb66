-- 1 if a mailbox at a large mail provider has confirmed the visit, which then counts towards no share
-- of the free time. Visits that such a mailbox confirmed before this migration count until the
-- business has answered.
ALTER TABLE page_visit ADD COLUMN has_mailbox INTEGER NOT NULL DEFAULT 0;
