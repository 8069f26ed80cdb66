-- Partners see this number as sortOrder. The gaps let an object be inserted or moved without
-- changing the others.
ALTER TABLE catalog_object RENAME COLUMN position TO sort_order;
UPDATE catalog_object SET sort_order = (sort_order + 1) * 1024;
