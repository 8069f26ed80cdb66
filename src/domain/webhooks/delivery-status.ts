/** Where a delivery can stand. What is owed is PENDING, and PARKED while its endpoint is disabled. */
export const DELIVERY_STATUSES = [
  "PENDING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
