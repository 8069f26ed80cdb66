import Database from "better-sqlite3";
import { EVENT_TYPES } from "../../src/domain/events/event-types.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { subscribe, addBusiness } from "./delivery.ts";

const ENDPOINTS = 4;
/** The time between two events. */
const STEP_MS = 250;

/**
 * Stores deliveries for the live view. Ninety-six of every hundred are delivered, two are retrying,
 * one is pending and one exhausted.
 */
export async function fillDeliveries(rt: Runtime, deliveries: number): Promise<string[]> {
  const business = addBusiness(rt);
  const endpoints: string[] = [];
  for (let i = 0; i < ENDPOINTS; i++)
    endpoints.push(
      (await subscribe(rt, business, `http://127.0.0.1:${9000 + i}/hook`)).endpoint.id,
    );
  const db = new Database(rt.config.databasePath);
  const events = Math.ceil(deliveries / ENDPOINTS);
  const parameters = {
    events,
    deliveries,
    businessId: business.id,
    endpoints: JSON.stringify(endpoints),
    types: JSON.stringify(EVENT_TYPES),
    startsAt: rt.now() - events * STEP_MS,
  };
  const run = (sql: string) => db.prepare(sql).run(parameters);
  const numbers = (last: string) =>
    `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last})`;
  db.transaction(() => {
    run(`${numbers(":events")}
      INSERT INTO event (id, business_id, sequence, type, body, sha256, created_at)
      SELECT printf('evt_%025d', i), :businessId, i, json_extract(:types, '$[' || (i % json_array_length(:types)) || ']'),
        CAST('{"id":"' || i || '","data":{"object":{"name":"Manicure"}}}' AS BLOB), zeroblob(32), :startsAt + i * ${STEP_MS}
      FROM numbers`);
    run(`${numbers(":deliveries")}
      INSERT INTO delivery (number, id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count,
        next_attempt_at, last_status_code, last_error, created_at, delivered_at)
      SELECT i, printf('dlv_%025d', i), :businessId, json_extract(:endpoints, '$[' || (i % ${ENDPOINTS}) || ']'), event.id, event.type,
        sequence, state, CASE WHEN i % 100 = 2 THEN 0 WHEN i % 100 = 3 THEN 20 WHEN i % 100 < 2 THEN 6 ELSE 1 END,
        iif(state = 'PENDING', created_at + 86400000000, NULL), CASE WHEN i % 100 = 2 THEN NULL WHEN state = 'DELIVERED' THEN 200 ELSE 500 END,
        iif(state = 'DELIVERED' OR i % 100 = 2, NULL, 'HTTP 500'), created_at, iif(state = 'DELIVERED', created_at + 40, NULL)
      FROM (SELECT i, CASE WHEN i % 100 < 3 THEN 'PENDING' WHEN i % 100 = 3 THEN 'EXHAUSTED' ELSE 'DELIVERED' END AS state FROM numbers)
      JOIN event ON event.rowid = (i + ${ENDPOINTS - 1}) / ${ENDPOINTS}`);
    run(`
      INSERT INTO attempt (delivery, n, at, duration_ms, outcome, status_code, error)
      SELECT number, attempt_count, created_at + 40, 20 + number * 7919 % 800, 'responded', last_status_code, last_error
      FROM delivery WHERE attempt_count > 0 ORDER BY number`);
    run(
      "INSERT OR REPLACE INTO delivery_count SELECT business_id, status, count(*) FROM delivery GROUP BY 1, 2",
    );
    run(`
      INSERT INTO delivery_minute SELECT :businessId, at / 60000, sum(error IS NULL), sum(error IS NOT NULL) FROM attempt
      GROUP BY at / 60000`);
    run("UPDATE business SET last_sequence = :events WHERE id = :businessId");
  })();
  db.close();
  return endpoints;
}
