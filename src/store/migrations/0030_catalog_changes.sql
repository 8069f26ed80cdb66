-- What each change of a catalog replaced, so that it can be undone. The history of a business has
-- no gaps: only its oldest changes are deleted.
CREATE TABLE catalog_change (
  -- Rises with time.
  number       INTEGER PRIMARY KEY,
  business_id  TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  version      INTEGER NOT NULL,
  -- Later than the version of the change before if the clock or a sale caused versions in between.
  from_version INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  -- Who made it, from what: an entry of the audit log.
  audit_id     TEXT,
  -- JSON, compressed with zstd.
  replaced     BLOB NOT NULL,
  UNIQUE (business_id, version)
) STRICT;

CREATE TRIGGER history_catalog_change_added AFTER INSERT ON catalog_change BEGIN
  UPDATE history SET bytes = bytes + length(NEW.replaced) + 150;
END;
CREATE TRIGGER history_catalog_change_deleted AFTER DELETE ON catalog_change BEGIN
  UPDATE history SET bytes = bytes - length(OLD.replaced) - 150;
END;
