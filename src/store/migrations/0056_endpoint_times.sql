-- status_since: when the endpoint was created, enabled or disabled; null for a status of an earlier version.
-- last_delivered_at: when its receiver last accepted an event, to the second; null if it never has.
ALTER TABLE endpoint ADD COLUMN status_since INTEGER;
ALTER TABLE endpoint ADD COLUMN last_delivered_at INTEGER;
-- Reading all deliveries of a large file would take minutes.
UPDATE endpoint SET last_delivered_at = (
  SELECT max(delivered_at) FROM (SELECT delivered_at FROM delivery WHERE endpoint_id = endpoint.id ORDER BY id DESC LIMIT 1000));
