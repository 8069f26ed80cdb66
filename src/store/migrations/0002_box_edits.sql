-- The document of the last catalog file, stored only while a local edit differs from it, so that
-- the plan for the next file can list the edits it would undo.
ALTER TABLE catalog_object ADD COLUMN authored TEXT CHECK (json_valid(authored));
CREATE INDEX catalog_object_edited ON catalog_object (business_id) WHERE authored IS NOT NULL;
