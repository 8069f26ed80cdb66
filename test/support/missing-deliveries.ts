import type Database from "better-sqlite3";

/**
 * Returns a line for each event that has no delivery to an endpoint that was subscribed to it.
 * Endpoints of an API key are left out, because they receive only what the key may read. A
 * redelivery adds a delivery of its event and replaces none, so redeliveries need no exception.
 */
export const listMissingDeliveries = (db: Database.Database): string[] =>
  db
    .prepare(`
      SELECT 'delivery of ' || event.type || ' ' || event.id || ' to ' || endpoint.id
      FROM endpoint JOIN event USING (business_id)
      WHERE endpoint.key_id IS NULL AND endpoint.deleted_at IS NULL
        AND event.created_at > endpoint.created_at
        AND EXISTS (SELECT 1 FROM json_each(endpoint.events) WHERE value = event.type)
        AND NOT EXISTS (
          SELECT 1 FROM delivery WHERE endpoint_id = endpoint.id AND event_id = event.id)`)
    .pluck()
    .all() as string[];
