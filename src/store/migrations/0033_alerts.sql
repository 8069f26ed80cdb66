-- What the daemon remembers about alerts, as JSON. Kinds: `cause` (a condition that it has alerted about), `unsent` (an alert that a channel
-- has not accepted yet), `channel` (one that fails), `notice` (to be sent), `test` (requested by `alerts test`) and `heartbeat`.
CREATE TABLE alert_state (
  kind  TEXT NOT NULL,
  key   TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
