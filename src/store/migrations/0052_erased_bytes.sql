-- has_old_space: 1 until the file of an earlier version is rewritten once, because its free space still has deleted rows.
-- log_kept_since: when guests were erased whose old data the write-ahead log may still have; null once it was emptied.
ALTER TABLE server ADD COLUMN has_old_space INTEGER NOT NULL DEFAULT 0;
ALTER TABLE server ADD COLUMN log_kept_since INTEGER;
UPDATE server SET has_old_space = 1 WHERE EXISTS (SELECT 1 FROM business) OR EXISTS (SELECT 1 FROM removed_business);
