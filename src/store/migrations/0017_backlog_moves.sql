-- The change of a disabled, enabled or deleted endpoint's backlog that is not finished yet.
ALTER TABLE endpoint ADD COLUMN backlog_move TEXT CHECK (backlog_move <> '');
-- For RECOVER: deliveries created earlier are cancelled instead.
ALTER TABLE endpoint ADD COLUMN recover_since INTEGER;
CREATE INDEX endpoint_backlog_move ON endpoint (id) WHERE backlog_move IS NOT NULL;

-- An endpoint's deliveries that its changes move; delivery_due has the pending ones.
CREATE INDEX delivery_parked ON delivery (endpoint_id, created_at) WHERE status = 'PARKED';
CREATE INDEX delivery_corrupt ON delivery (endpoint_id) WHERE status = 'CORRUPT';
