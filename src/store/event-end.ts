import { POSTPONED_MS } from "../domain/catalog/event-end.ts";

/** The end of a public event in a query of `catalog_object`, by the rule of `endOfEvent`. */
export const END_OF_EVENT = `(doc ->> 'endsAt') + iif(doc ->> 'status' = 'POSTPONED', ${POSTPONED_MS}, 0)`;

/**
 * The end of the event of the ticket order `visit_id`, or the order's last change if the event is
 * gone.
 */
export const END_OF_ORDERED_EVENT = `(
  SELECT coalesce((SELECT ${END_OF_EVENT} FROM catalog_object WHERE id = event_id), updated_at)
  FROM ticket_order WHERE id = visit_id)`;
