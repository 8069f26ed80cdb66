-- By how much the daemon's wall clock is ahead of the monotonic clock of the machine, so that commands notice if their own clock
-- differs. `clock_source` names the monotonic clock. Both are null for a daemon before this version.
ALTER TABLE daemon ADD COLUMN clock_source TEXT;
ALTER TABLE daemon ADD COLUMN clock_offset_ms INTEGER;
