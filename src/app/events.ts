import { hash } from "node:crypto";
import { type EventDraft, createEnvelope, GUEST_PREFIXES } from "../domain/events/envelope.ts";
import {
  type EventReader,
  mayReadEvent,
  type EventType,
  prefixOf,
} from "../domain/events/event-types.ts";
import { localise } from "../domain/public/public-context.ts";
import { assertDiskSpace } from "./disk-space.ts";
import type { Runtime } from "./runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { ListedKey } from "../store/keys.ts";
import type { EndpointRow } from "../store/webhooks/endpoints.ts";
import type { EventRow } from "../store/events.ts";

export type AppendResult = {
  /**
   * The sequence number of the last event that was written, or of the latest stored event if there
   * are no drafts.
   */
  lastSequence: number;
  deliveries: number;
  events: { id: string; type: EventType; sequence: number }[];
};

/**
 * Writes events, with a delivery for each subscribed endpoint. Call it inside the transaction of
 * the change: an event exists if and only if its change was committed.
 * @param ownerKeyId the key that created the booking, reservation or order of the events; null if
 *   no key created it, and for catalog events
 * @throws AppError storage_full
 */
export function appendEvents(
  rt: Runtime,
  business: BusinessRow,
  drafts: readonly EventDraft[],
  ownerKeyId: string | null = null,
): AppendResult {
  const partners = rt.store.partnerAccess.listOfBusiness(business.id);
  return append(rt, business, drafts, {
    ownerKeyId,
    hasPartners: partners.length > 0,
    receiversOf: createReceiverFinder(rt, business.id, partners),
  });
}

type FindReceivers = (event: Pick<EventRow, "type" | "ownerKeyId">) => EndpointRow[];

/**
 * Returns a function that finds the endpoints that an event of a business is sent to.
 * @param partners the access of the partners to the business
 */
export function createReceiverFinder(
  rt: Runtime,
  businessId: string,
  partners: readonly ListedKey[] = rt.store.partnerAccess.listOfBusiness(businessId),
): FindReceivers {
  const receivers = listReceivers(rt, businessId, partners);
  return (event) =>
    receivers
      .filter(
        ({ endpoint, reader }) =>
          endpoint.events.includes(event.type) && (!reader || mayReadEvent(reader, event)),
      )
      .map(({ endpoint }) => endpoint);
}

/**
 * An endpoint, and the key whose rights decide what the endpoint receives. `reader` is undefined
 * for an endpoint of the operator, which no key owns.
 */
type Receiver = { endpoint: EndpointRow; reader: EventReader | undefined };

/** Lists the endpoints of a business, and those of the partners that reach the business. */
function listReceivers(
  rt: Runtime,
  businessId: string,
  partners: readonly ListedKey[],
): Receiver[] {
  const atBusiness = rt.store.endpoints.listOf({ businessId, partnerId: null });
  const keyIds = new Set(atBusiness.flatMap(({ keyId }) => keyId ?? []));
  const keys = new Map([...keyIds].map((id) => [id, rt.store.keys.findById(id)]));
  return [
    ...atBusiness.map((endpoint) => ({ endpoint, reader: keys.get(endpoint.keyId ?? "") })),
    ...partners.flatMap((access) =>
      rt.store.endpoints
        .listOf({ businessId: null, partnerId: access.partnerId })
        .map((endpoint) => ({ endpoint, reader: access })),
    ),
  ];
}

/** Writes an event with a delivery to one endpoint only, whatever the endpoint subscribes to. */
export const appendEventFor = (
  rt: Runtime,
  business: BusinessRow,
  draft: EventDraft,
  endpoint: EndpointRow,
): AppendResult =>
  append(rt, business, [draft], {
    ownerKeyId: null,
    hasPartners: rt.store.partnerAccess.listOfBusiness(business.id).length > 0,
    receiversOf: () => [endpoint],
  });

type AppendOptions = {
  ownerKeyId: string | null;
  /** Whether a partner reaches the business, so that events get positions in the partners' feed. */
  hasPartners: boolean;
  receiversOf: FindReceivers;
};

function append(
  rt: Runtime,
  business: BusinessRow,
  drafts: readonly EventDraft[],
  { ownerKeyId, hasPartners, receiversOf }: AppendOptions,
): AppendResult {
  if (drafts.length > 0) assertDiskSpace(rt);
  const firstSequence = rt.store.businesses.allocateSequences(business.id, drafts.length);
  const firstPosition =
    hasPartners && drafts.length > 0 ? rt.store.feed.allocatePositions(drafts.length) : null;
  const events = drafts.map((draft, i) =>
    writeEvent(rt, business, draft, ownerKeyId, {
      sequence: firstSequence + i,
      position: firstPosition === null ? null : firstPosition + i,
    }),
  );
  const deliveries = events.flatMap((event) =>
    receiversOf(event).map(({ id: endpointId, status }) => ({
      id: rt.newId("dlv"),
      endpointId,
      event,
      // A delivery to a disabled endpoint is parked, not dropped.
      nextAttemptAt: status === "ACTIVE" ? event.createdAt : null,
    })),
  );
  rt.store.deliveries.insert(deliveries);
  return {
    lastSequence: firstSequence + drafts.length - 1,
    deliveries: deliveries.length,
    events: events.map(({ id, type, sequence }) => ({ id, type, sequence })),
  };
}

/** An event without its body: the bodies of all events of a large catalog would fill the memory. */
type WrittenEvent = Omit<EventRow, "body" | "sha256" | "visitId" | "position">;

function writeEvent(
  rt: Runtime,
  business: BusinessRow,
  draft: EventDraft,
  ownerKeyId: string | null,
  { sequence, position }: Pick<EventRow, "sequence" | "position">,
): WrittenEvent {
  const id = rt.newId("evt");
  const createdAt = rt.now();
  const body = serializeEnvelope(business, draft, id, createdAt);
  const sha256 = hash("sha256", body, "buffer");
  const event = { id, businessId: business.id, sequence, type: draft.type, createdAt, ownerKeyId };
  // Erasing a guest finds the events with a customer reference by their `visitId`.
  const visitId = GUEST_PREFIXES.has(prefixOf(draft.type)) ? draft.resource.id : null;
  rt.store.events.insert({ ...event, body, sha256, visitId, position });
  return event;
}

export function serializeEnvelope(
  business: BusinessRow,
  draft: EventDraft,
  id: string,
  createdAt: number,
): Buffer {
  const { slug, name, timezone, locale } = business.doc;
  // Texts are localised as in a list that is requested without `locale`.
  const keepTranslations = true;
  const localised = { ...draft, object: localise(draft.object, locale, keepTranslations) };
  return Buffer.from(
    JSON.stringify(
      createEnvelope(localised, id, createdAt, { id: business.id, slug, name, timezone }),
    ),
  );
}
