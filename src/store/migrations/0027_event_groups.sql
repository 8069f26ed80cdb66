-- A key receives only events of its groups.
ALTER TABLE api_key ADD COLUMN event_groups TEXT NOT NULL DEFAULT '["catalog","bookings","tickets"]'
  CHECK (json_valid(event_groups));
UPDATE api_key SET scopes = '["services.read","webhooks.read","webhooks.write","bookings.write","tickets.write","bookings.read","bookings.manage","guests.read"]'
  WHERE kind = 'SECRET';

-- The key that created the booking, reservation or ticket order of the event; NULL: the operator.
ALTER TABLE event ADD COLUMN owner_key_id TEXT;
