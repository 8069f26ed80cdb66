import type { EventType } from "../domain/event-types.ts";
import type { DeliveryStatus } from "../domain/webhooks/delivery-status.ts";

/** Which deliveries are meant. What is absent restricts nothing. */
export type DeliveryFilter = {
  id?: string | undefined;
  businessId?: string | undefined;
  endpointId?: string | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: EventType | undefined;
  /** Created at or after. */
  since?: number | undefined;
  /** An id: only what is older. */
  before?: string | undefined;
  /** Whose last attempt failed, and that have not arrived since. */
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

// Said in the words of the partial index delivery_undelivered, so that the planner may use it for the few that ended so.
const IS_UNDELIVERED = "status NOT IN ('PENDING', 'DELIVERED')";
const MOST_ARE = new Set<DeliveryStatus>(["PENDING", "DELIVERED"]);

/** The filter as a SQL condition, and its parameters. */
export function toSqlCondition(filter: DeliveryFilter): {
  where: string;
  parameters: Record<string, unknown>;
} {
  const { failed: _, ...parameters } = filter;
  const asked = (Object.keys(CONDITIONS) as (keyof DeliveryFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = asked.map((name) => CONDITIONS[name]);
  if (filter.status !== undefined && !MOST_ARE.has(filter.status)) conditions.push(IS_UNDELIVERED);
  return { where: ["TRUE", ...conditions].join(" AND "), parameters };
}
