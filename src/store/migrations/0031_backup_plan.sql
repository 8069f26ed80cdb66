-- When the daemon makes backups (NULL: every night), and whether it copies them to another place.
ALTER TABLE daemon ADD COLUMN backup_every_ms INTEGER;
ALTER TABLE daemon ADD COLUMN copies_backups INTEGER NOT NULL DEFAULT 0;
