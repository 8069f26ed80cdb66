-- What happens to the webhook endpoints of a key when it is revoked or expires. STOP: they are
-- disabled. KEEP: they stay, because the operator said so. UNDECIDED: the key ended before this
-- version, which left its endpoints as they were; the operator is asked.
ALTER TABLE api_key ADD COLUMN endpoints_at_end TEXT NOT NULL DEFAULT 'STOP'
  CHECK (endpoints_at_end = 'STOP' OR endpoints_at_end = 'KEEP' OR endpoints_at_end = 'UNDECIDED');
-- When the end of the key was carried out: its endpoints stopped, its holds released.
ALTER TABLE api_key ADD COLUMN ended_at INTEGER;
UPDATE api_key SET ended_at = coalesce(revoked_at, expires_at)
WHERE revoked_at IS NOT NULL OR expires_at <= unixepoch() * 1000;
UPDATE api_key SET endpoints_at_end = 'UNDECIDED'
WHERE ended_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM endpoint WHERE key_id = api_key.id AND deleted_at IS NULL);

-- Small: the keys that will end.
CREATE INDEX api_key_expiry ON api_key (expires_at) WHERE expires_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX api_key_undecided ON api_key (id) WHERE endpoints_at_end = 'UNDECIDED';
