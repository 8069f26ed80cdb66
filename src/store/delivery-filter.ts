import type { EventType } from "../domain/event-types.ts";
import type { DeliveryStatus } from "../domain/webhooks/settle.ts";

/** Deliveries must match all fields that are set. */
export type DeliveryFilter = {
  id?: string | undefined;
  businessId?: string | undefined;
  endpointId?: string | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: EventType | undefined;
  /** Created at or after this time (epoch ms). */
  since?: number | undefined;
  /** An ID: only older ones. */
  before?: string | undefined;
  /** The last attempt failed and the delivery has not succeeded since. */
  failed?: true | undefined;
};

const CONDITIONS: Record<keyof DeliveryFilter, string> = {
  id: "id = :id",
  businessId: "business_id = :businessId",
  endpointId: "endpoint_id = :endpointId",
  status: "status = :status",
  eventType: "event_type = :eventType",
  since: "created_at >= :since",
  before: "id < :before",
  failed: "status IN ('PENDING', 'EXHAUSTED', 'CORRUPT') AND last_error IS NOT NULL",
};

// The condition of the partial index delivery_undelivered, so that the query planner can use it.
const IS_UNDELIVERED = "status NOT IN ('PENDING', 'DELIVERED')";
const FREQUENT_STATUSES = new Set<DeliveryStatus>(["PENDING", "DELIVERED"]);

/** Returns the filter as a SQL condition and its parameters. */
export function toSqlCondition(filter: DeliveryFilter): {
  where: string;
  parameters: Record<string, unknown>;
} {
  const { failed: _, ...parameters } = filter;
  const names = (Object.keys(CONDITIONS) as (keyof DeliveryFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = names.map((name) => CONDITIONS[name]);
  if (filter.status !== undefined && !FREQUENT_STATUSES.has(filter.status))
    conditions.push(IS_UNDELIVERED);
  return { where: ["TRUE", ...conditions].join(" AND "), parameters };
}
