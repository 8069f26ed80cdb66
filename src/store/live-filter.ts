import type { EventType } from "../domain/event-types.ts";

/** RETRYING: pending after a failed attempt. */
export const LIVE_STATES = [
  "PENDING",
  "RETRYING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const;
export type LiveState = (typeof LIVE_STATES)[number];

export type LiveFilter = {
  deliveryPrefix?: string | undefined;
  eventPrefix?: string | undefined;
  state?: LiveState | undefined;
  endpointId?: string | undefined;
  eventType?: EventType | undefined;
  businessId?: string | undefined;
  endpointIds?: readonly string[] | undefined;
  eventTypes?: readonly EventType[] | undefined;
};

type Condition = {
  sql: string;
  /** The index that finds matching rows ordered by ID; null: every row must be tested. */
  index: string | null;
};

/** The planner uses the primary key without a hint. */
const PRIMARY = "";

const ENDED: Condition = {
  // Repeats the condition of the partial index, so that SQLite can use it.
  sql: "status = :state AND status NOT IN ('PENDING', 'DELIVERED')",
  index: "delivery_undelivered",
};

const STATES: Record<LiveState, Condition> = {
  PENDING: { sql: "status = 'PENDING'", index: "delivery_owed" },
  RETRYING: {
    sql: "status = 'PENDING' AND attempt_count > attempts_before",
    index: "delivery_retrying",
  },
  // Most deliveries are, so an index would not help.
  DELIVERED: { sql: "status = 'DELIVERED'", index: null },
  EXHAUSTED: ENDED,
  PARKED: ENDED,
  CANCELLED: ENDED,
  CORRUPT: ENDED,
};

const MAX_PER_EVENT = 1000;

const CONDITIONS: {
  [Name in keyof LiveFilter]-?: (value: NonNullable<LiveFilter[Name]>) => Condition;
} = {
  deliveryPrefix: () => ({
    sql: "id >= :deliveryPrefix AND id < :deliveryPrefix || '~'",
    index: PRIMARY,
  }),
  eventPrefix: () => ({
    sql: `id IN (
      SELECT id FROM delivery WHERE event_id >= :eventPrefix AND event_id < :eventPrefix || '~' LIMIT ${MAX_PER_EVENT})`,
    index: PRIMARY,
  }),
  state: (state) => STATES[state],
  endpointId: () => ({ sql: "endpoint_id = :endpointId", index: "delivery_endpoint" }),
  eventType: () => ({ sql: "event_type = :eventType", index: "delivery_type" }),
  businessId: () => ({ sql: "business_id = :businessId", index: "delivery_business" }),
  endpointIds: (ids) =>
    ids.length === 1
      ? { sql: "endpoint_id = :endpointIds ->> 0", index: "delivery_endpoint" }
      : { sql: "endpoint_id IN (SELECT value FROM json_each(:endpointIds))", index: null },
  eventTypes: (types) =>
    types.length === 1
      ? { sql: "event_type = :eventTypes ->> 0", index: "delivery_type" }
      : { sql: "event_type IN (SELECT value FROM json_each(:eventTypes))", index: null },
};

export type LiveCondition = {
  /** The table, with the index to use, and the condition that the index satisfies. */
  source: string;
  base: string;
  /** To test in each row. */
  residual: string | null;
  parameters: Record<string, unknown>;
};

/**
 * Returns the filter in SQL, split into the condition that one index satisfies and the rest. Uses
 * the first condition with an index; `CONDITIONS` is ordered by how few rows they match.
 */
export function toLiveCondition(filter: LiveFilter): LiveCondition {
  const names = (Object.keys(CONDITIONS) as (keyof LiveFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = names.map((name) => CONDITIONS[name](filter[name] as never));
  const chosen = conditions.find(({ index }) => index !== null);
  const rest = conditions.filter((condition) => condition !== chosen).map(({ sql }) => sql);
  return {
    source: chosen?.index ? `delivery INDEXED BY ${chosen.index}` : "delivery",
    base: chosen?.sql ?? "TRUE",
    residual: rest.length === 0 ? null : rest.join(" AND "),
    parameters: {
      ...filter,
      endpointIds: JSON.stringify(filter.endpointIds ?? []),
      eventTypes: JSON.stringify(filter.eventTypes ?? []),
    },
  };
}
