-- The document as the last catalog file said it, kept only while an edit made on the box differs from it: the next file's plan
-- says which edits it would undo.
ALTER TABLE catalog_object ADD COLUMN authored TEXT CHECK (json_valid(authored));
CREATE INDEX catalog_object_edited ON catalog_object (business_id) WHERE authored IS NOT NULL;
