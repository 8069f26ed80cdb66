-- self_rotation: whether the key may rotate itself over HTTP.
-- repeats_until: until when a secret that rotated its key may repeat this request; null for a secret that did not.
-- ends_at: when a reply ends that is kept for less than a day; null for the others.
ALTER TABLE api_key ADD COLUMN self_rotation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key_secret ADD COLUMN repeats_until INTEGER;
ALTER TABLE idempotency ADD COLUMN ends_at INTEGER;
CREATE INDEX idempotency_end ON idempotency (ends_at) WHERE ends_at IS NOT NULL;
