import type { Envelope } from "../../../domain/events/envelope.ts";
import type { EventType } from "../../../domain/events/event-types.ts";
import { createReceiverFinder } from "../../events.ts";
import type { Runtime } from "../../runtime.ts";

/** The events that a change publishes, or would publish. */
export type PublishedEvents = {
  events: { type: EventType; resourceId: string }[];
  /** The number of deliveries: one for each event and each endpoint subscribed to it now. */
  deliveries: number;
  /** The number of events and deliveries of each event type. */
  webhooks: { type: EventType; events: number; deliveries: number }[];
};

export const nothingPublished = (): PublishedEvents => ({
  events: [],
  deliveries: 0,
  webhooks: [],
});

/** @param events in the order of their publication, each with the key that made its visit */
export function countDeliveries(
  rt: Runtime,
  businessId: string,
  events: readonly { type: EventType; resourceId: string; ownerKeyId: string | null }[],
): PublishedEvents {
  const receiversOf = createReceiverFinder(rt, businessId);
  const webhooks = [...Map.groupBy(events, ({ type }) => type)].map(([type, ofType]) => ({
    type,
    events: ofType.length,
    deliveries: [...Map.groupBy(ofType, ({ ownerKeyId }) => ownerKeyId)].reduce(
      (sum, [ownerKeyId, { length }]) => sum + length * receiversOf({ type, ownerKeyId }).length,
      0,
    ),
  }));
  return {
    events: events.map(({ type, resourceId }) => ({ type, resourceId })),
    deliveries: webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0),
    webhooks,
  };
}

/** Reads the events of a business that were published after a sequence number. */
export const readPublished = (rt: Runtime, businessId: string, sequence: number): PublishedEvents =>
  countDeliveries(
    rt,
    businessId,
    rt.store.events.listAfter(businessId, sequence, -1).map(({ type, body, ownerKeyId }) => {
      const { data } = JSON.parse(body.toString()) as Envelope;
      return { type, resourceId: data.resource.id, ownerKeyId };
    }),
  );

/** Returns the events of two parts of a change together. */
export const joinPublished = (
  first: PublishedEvents,
  second: PublishedEvents,
): PublishedEvents => ({
  events: [...first.events, ...second.events],
  deliveries: first.deliveries + second.deliveries,
  webhooks: [...Map.groupBy([...first.webhooks, ...second.webhooks], ({ type }) => type)].map(
    ([type, parts]) => ({
      type,
      events: parts.reduce((sum, { events }) => sum + events, 0),
      deliveries: parts.reduce((sum, { deliveries }) => sum + deliveries, 0),
    }),
  ),
});
