-- SQLite before 3.45 counts json_valid(NULL) in a CHECK as failed, so that its integrity check
-- reported every object without local edits. A new column replaces the old one, because a CHECK
-- cannot be altered.
DROP INDEX catalog_object_edited;
ALTER TABLE catalog_object ADD COLUMN edited TEXT CHECK (edited IS NULL OR json_valid(edited));
UPDATE catalog_object SET edited = authored WHERE authored IS NOT NULL;
ALTER TABLE catalog_object DROP COLUMN authored;
ALTER TABLE catalog_object RENAME COLUMN edited TO authored;
CREATE INDEX catalog_object_edited ON catalog_object (business_id) WHERE authored IS NOT NULL;
