-- Identifies the feeds of events, in their cursors. A restore that may have lost changes begins new
-- feeds. Data from before this migration have the empty ID, like the cursors that were issued then.
ALTER TABLE server ADD COLUMN feed_id TEXT NOT NULL DEFAULT '';
UPDATE server SET feed_id = lower(hex(randomblob(4)))
WHERE NOT EXISTS (SELECT 1 FROM business) AND NOT EXISTS (SELECT 1 FROM removed_business);
