-- Version 0.2 gave the secret keys of 0.1 scopes for bookings, orders and guest data. KEPT: such a key
-- has used them and keeps them; REMOVED: it loses them again. NULL: no such key, or the operator has
-- decided. The entry of a key's creation lists the scopes that it had then; only a key of 0.1 has
-- none with bookings.write.
ALTER TABLE api_key ADD COLUMN gained_scopes TEXT CHECK (gained_scopes = 'KEPT' OR gained_scopes = 'REMOVED');
UPDATE api_key SET gained_scopes = 'KEPT'
WHERE kind = 'SECRET' AND id NOT IN (
  SELECT subject_id FROM audit_entry
  WHERE action = 'key.created' AND subject_id IS NOT NULL AND instr(details, '"bookings.write"') > 0);
-- Reading leaves no trace: a key counts as used if it has made a hold, booking, reservation or order.
UPDATE api_key SET gained_scopes = 'REMOVED', scopes = '["services.read","webhooks.read","webhooks.write"]'
WHERE gained_scopes = 'KEPT'
  AND NOT EXISTS (SELECT 1 FROM booking WHERE created_by_key = api_key.id)
  AND NOT EXISTS (SELECT 1 FROM reservation WHERE created_by_key = api_key.id)
  AND NOT EXISTS (SELECT 1 FROM ticket_order WHERE created_by_key = api_key.id)
  AND NOT EXISTS (SELECT 1 FROM hold WHERE key_id = api_key.id);
