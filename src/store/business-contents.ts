import type { Db } from "./db.ts";

/** The number of objects of each kind that belong to a business and are deleted with it. */
export type BusinessContents = {
  objects: number;
  keys: number;
  endpoints: number;
  events: number;
  deliveries: number;
  /** Deliveries that are pending or parked. */
  owed: number;
  bookings: number;
  reservations: number;
  orders: number;
};

export function createBusinessContentsStore(db: Db) {
  const count = db.prepare(`
    SELECT
      (SELECT count(*) FROM catalog_object WHERE business_id = :id) AS objects,
      (SELECT count(*) FROM api_key WHERE business_id = :id) AS keys,
      (SELECT count(*) FROM endpoint WHERE business_id = :id AND deleted_at IS NULL) AS endpoints,
      (SELECT count(*) FROM event WHERE business_id = :id) AS events,
      (SELECT coalesce(sum(count), 0) FROM delivery_count WHERE business_id = :id) AS deliveries,
      (SELECT coalesce(sum(count), 0) FROM delivery_count WHERE business_id = :id AND status IN ('PENDING', 'PARKED')) AS owed,
      (SELECT count(*) FROM booking WHERE business_id = :id) AS bookings,
      (SELECT count(*) FROM reservation WHERE business_id = :id) AS reservations,
      (SELECT count(*) FROM ticket_order WHERE business_id = :id) AS orders`);
  return {
    count: (businessId: string): BusinessContents =>
      count.get({ id: businessId }) as BusinessContents,
  };
}
