-- When the certificate that the daemon uses expires; null without HTTPS.
ALTER TABLE daemon ADD COLUMN certificate_expires_at INTEGER;
