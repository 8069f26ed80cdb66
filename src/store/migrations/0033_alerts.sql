-- What the daemon remembers about alerts, as JSON. features/alerts/store.ts describes the kinds.
CREATE TABLE alert_state (
  kind  TEXT NOT NULL,
  key   TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
