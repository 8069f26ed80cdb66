-- How far a business had come that was removed. Made anew it has the same id, as its objects have, and goes on from there: no
-- version, sequence number or cursor that partners know of it ever comes again.
CREATE TABLE removed_business (
  id              TEXT PRIMARY KEY,
  catalog_version INTEGER NOT NULL,
  last_sequence   INTEGER NOT NULL,
  -- By which a daemon tells what it has in memory from what is on file.
  revision        INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
