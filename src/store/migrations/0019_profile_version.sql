-- The profile of a business has a version of its own, in the row with the ID of the business.
INSERT INTO representation (business_id, object_id, version, updated_at)
SELECT id, id, catalog_version, updated_at FROM business;
