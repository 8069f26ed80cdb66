-- When the feed was last read at a URL of version 0.1, within a day; null if it never was.
ALTER TABLE calendar ADD COLUMN former_url_read_at INTEGER;
