-- Until when the delivery worker sends nothing to an endpoint, and why: failing or retry_after.
ALTER TABLE endpoint ADD COLUMN held_until INTEGER;
ALTER TABLE endpoint ADD COLUMN held_reason TEXT;
-- Counts the holds that a successful test or an operator has ended; the delivery worker compares it.
ALTER TABLE endpoint ADD COLUMN holds_ended INTEGER NOT NULL DEFAULT 0;
