import { hash } from "node:crypto";
import { type EventDraft, sealEnvelope } from "../domain/envelope.ts";
import type { EventType } from "../domain/event-types.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import type { EventRow } from "../store/events.ts";

export type Appended = {
  /** The sequence number of the last event; with no drafts, of the one before. */
  lastSequence: number;
  deliveries: number;
  events: { id: string; type: EventType; sequence: number }[];
};

/**
 * Writes the events of a change and what is owed to the endpoints that are subscribed at this moment. Belongs inside the
 * transaction of that change: an event exists if and only if what caused it was committed.
 */
export function appendEvents(rt: Runtime, business: BusinessRow, drafts: readonly EventDraft[]): Appended {
  const first = rt.store.businesses.takeSequences(business.id, drafts.length);
  const endpoints = rt.store.endpoints.list(business.id);
  let deliveries = 0;
  const events = drafts.map((draft, i) => {
    const event = sealEvent(rt, business, draft, first + i);
    rt.store.events.insert(event);
    deliveries += fanOut(rt, event, endpoints);
    return { id: event.id, type: event.type, sequence: event.sequence };
  });
  return { lastSequence: first + drafts.length - 1, deliveries, events };
}

function sealEvent(rt: Runtime, business: BusinessRow, draft: EventDraft, sequence: number): EventRow {
  const id = rt.newId("evt");
  const createdAt = rt.now();
  const { slug, name, timezone } = business.doc;
  const envelope = sealEnvelope(draft, id, createdAt, { id: business.id, slug, name, timezone });
  const body = Buffer.from(JSON.stringify(envelope));
  return {
    id,
    businessId: business.id,
    sequence,
    type: draft.type,
    body,
    sha256: hash("sha256", body, "buffer"),
    createdAt,
  };
}

/** A disabled endpoint's share is parked, not dropped. */
function fanOut(rt: Runtime, event: EventRow, endpoints: EndpointRow[]): number {
  const subscribed = endpoints.filter(({ events }) => events.includes(event.type));
  for (const endpoint of subscribed)
    rt.store.deliveries.insert({
      id: rt.newId("dlv"),
      endpointId: endpoint.id,
      event,
      nextAttemptAt: endpoint.status === "ACTIVE" ? event.createdAt : null,
    });
  return subscribed.length;
}
