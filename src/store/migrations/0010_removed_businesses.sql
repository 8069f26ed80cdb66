-- The counters of deleted businesses. A business that is created again has the same ID and
-- continues from them, so that no version, sequence number or cursor is ever reused.
CREATE TABLE removed_business (
  id              TEXT PRIMARY KEY,
  catalog_version INTEGER NOT NULL,
  last_sequence   INTEGER NOT NULL,
  -- Shows a daemon whether its cache is current.
  revision        INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
