-- When a secret key last came with an Origin header, which only a web page sends.
ALTER TABLE api_key ADD COLUMN browser_seen_at INTEGER;
-- What a daemon was started with, for whoever asks beside it whether all is well.
ALTER TABLE daemon ADD COLUMN has_alert_url INTEGER NOT NULL DEFAULT 0 CHECK (has_alert_url IN (0, 1));
ALTER TABLE daemon ADD COLUMN open_files INTEGER;
