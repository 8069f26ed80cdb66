-- The time by which old data were last deleted, which does not follow a jump of the clock at once.
ALTER TABLE history ADD COLUMN retention_at INTEGER;
-- The time for which the daemon has run while the wall clock was ahead of that one.
ALTER TABLE history ADD COLUMN clock_ahead_ms INTEGER NOT NULL DEFAULT 0;
