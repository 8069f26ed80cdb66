-- By how much the wall clock is ahead of the monotonic clock of the machine, so that all processes
-- notice when the wall clock is set. `source` names the monotonic clock, which each start resets.
CREATE TABLE clock (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  source    TEXT NOT NULL,
  offset_ms INTEGER NOT NULL
) STRICT;
