-- The path that a program on this machine asked for without the metrics token, within the last hour.
ALTER TABLE daemon ADD COLUMN metrics_refused TEXT;
