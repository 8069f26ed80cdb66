-- The error of the last failed attempt, while the endpoint fails.
ALTER TABLE endpoint ADD COLUMN last_error TEXT;
UPDATE endpoint SET last_error = (
  SELECT last_error FROM delivery WHERE endpoint_id = endpoint.id AND last_error IS NOT NULL ORDER BY id DESC LIMIT 1)
WHERE failing_since IS NOT NULL;
