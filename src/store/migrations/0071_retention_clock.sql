-- The time by which old data were last deleted, which does not follow a jump of the clock at once.
ALTER TABLE history ADD COLUMN retention_at INTEGER;
-- For how long the daemon has run while the clock was ahead of that time.
ALTER TABLE history ADD COLUMN clock_ahead_ms INTEGER NOT NULL DEFAULT 0;
