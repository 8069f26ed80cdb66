-- Which catalog objects each revision of a business wrote, moved or removed, so that a process that
-- has cached the catalog reads only these again. A revision that changed many objects has no
-- row, and only the newest revisions are kept.
CREATE TABLE catalog_patch (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  revision    INTEGER NOT NULL,
  object_ids  TEXT NOT NULL CHECK (json_valid(object_ids)),
  PRIMARY KEY (business_id, revision)
) STRICT, WITHOUT ROWID;

-- Rises with every change of the sold-out marks and of the tickets taken, which change only the
-- lists that show them.
ALTER TABLE business ADD COLUMN stock_revision INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER sold_out_added AFTER INSERT ON sold_out BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = NEW.business_id;
END;
CREATE TRIGGER sold_out_changed AFTER UPDATE ON sold_out BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = NEW.business_id;
END;
CREATE TRIGGER sold_out_deleted AFTER DELETE ON sold_out BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = OLD.business_id;
END;
CREATE TRIGGER ticket_hold_added AFTER INSERT ON ticket_hold BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = NEW.business_id;
END;
CREATE TRIGGER ticket_hold_changed AFTER UPDATE ON ticket_hold BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = NEW.business_id;
END;
CREATE TRIGGER ticket_hold_deleted AFTER DELETE ON ticket_hold BEGIN
  UPDATE business SET stock_revision = stock_revision + 1 WHERE id = OLD.business_id;
END;
