import { eventDraft } from "../../domain/envelope.ts";
import { emptyObjects } from "../../domain/catalog/catalog.ts";
import { toPublicCatalog } from "../../domain/public/public-catalog.ts";
import type { Runtime } from "../runtime.ts";
import { toStoredCatalog } from "../catalog/load-catalog.ts";
import { publishDueTransitions } from "../catalog/publish.ts";
import { appendEvents } from "../events.ts";

/** Publishes the tickets left of public events that have had sales. */
export function publishEventAvailability(rt: Runtime): void {
  const due = rt.store.eventAvailability.listDue(rt.now());
  for (const [businessId, changes] of Map.groupBy(due, ({ businessId }) => businessId))
    rt.tx(() =>
      publishOf(
        rt,
        businessId,
        changes.map(({ eventId }) => eventId),
      ),
    );
}

function publishOf(rt: Runtime, businessId: string, ids: readonly string[]): void {
  const found = rt.store.businesses.findById(businessId);
  if (!found) return;
  const business = publishDueTransitions(rt, found);
  const now = rt.now();
  const docs = ids.flatMap(
    (id) => rt.store.catalog.findByKeyOrId(businessId, "public_event", id) ?? [],
  );
  const taken = rt.store.takenTickets.count(businessId);
  const objects = { ...emptyObjects(), public_event: docs };
  const stored = toStoredCatalog(rt, business, objects, { soldOut: new Map(), taken });
  const { events } = toPublicCatalog(stored, now, ["events"]);
  appendEvents(
    rt,
    business,
    events.map((event) =>
      eventDraft("event_availability.updated", ["availability"], event, [event.id]),
    ),
  );
  for (const eventId of ids) rt.store.eventAvailability.markSent(eventId, now);
}
