-- When a secret key was last sent with an Origin header, which only web pages send.
ALTER TABLE api_key ADD COLUMN browser_seen_at INTEGER;
-- Settings of the running daemon, for `status` and `doctor`.
ALTER TABLE daemon ADD COLUMN has_alert_url INTEGER NOT NULL DEFAULT 0 CHECK (has_alert_url IN (0, 1));
ALTER TABLE daemon ADD COLUMN open_files INTEGER;
