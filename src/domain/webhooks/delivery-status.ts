/** The states of a delivery. PENDING becomes PARKED while the endpoint is disabled. */
export const DELIVERY_STATUSES = [
  "PENDING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
