import type { z } from "zod";
import {
  actionOf,
  CHANGED_FLAGS,
  type EventType,
  prefixOf,
  resourceTypeOf,
  type EventGroup,
  type EventReader,
  isLimitedToOwn,
} from "./event-types.ts";
import type { business } from "../public/schemas/envelope.ts";
import { grants } from "../api-key.ts";

export type EventDraft = {
  type: EventType;
  resource: { type: string; id: string; ids: string[] };
  /** The flags of `data.changed` that are true in the event; "all" for created objects. */
  changed: readonly string[] | "all";
  object: unknown;
};

/** @param ids the ID of the resource, then those of its parts that are affected */
export const eventDraft = (
  type: EventType,
  changed: EventDraft["changed"],
  object: unknown,
  ids: string[],
): EventDraft => ({
  type,
  resource: { type: resourceTypeOf(prefixOf(type)), id: ids[0] ?? "", ids },
  changed,
  object,
});

/** @param objects every object of the list, in the new order */
export const reorderedEvent = (
  type: EventType,
  objects: readonly { id: string; sortOrder?: number }[],
): EventDraft =>
  eventDraft(
    type,
    [],
    { scope: prefixOf(type), order: objects.map(({ id, sortOrder }) => ({ id, sortOrder })) },
    objects.map(({ id }) => id),
  );

type EnvelopeBusiness = z.infer<typeof business>;

/** Returns an event that says that a partner now reaches a business, or no longer does. */
export const businessEvent = (
  type: "business.added" | "business.removed",
  { id, slug, name, timezone }: EnvelopeBusiness,
): EventDraft => eventDraft(type, [], { id, slug, name, timezone }, [id]);

/**
 * An event as receivers get it: the "Webhook event envelope" of the specification that deskbell
 * implements. `data` has exactly the four keys that the specification lists.
 */
export type Envelope = {
  id: string;
  type: EventType;
  createdAt: string;
  business: EnvelopeBusiness;
  data: {
    resource: { type: string; id: string; ids: string[] };
    action: string;
    changed: Record<string, boolean>;
    object: unknown;
  };
};

export function createEnvelope(
  draft: EventDraft,
  id: string,
  createdAtMs: number,
  business: EnvelopeBusiness,
): Envelope {
  const { changed } = draft;
  const flags: readonly string[] = CHANGED_FLAGS[prefixOf(draft.type)];
  return {
    id,
    type: draft.type,
    createdAt: new Date(createdAtMs).toISOString(),
    business,
    data: {
      resource: draft.resource,
      action: actionOf(draft.type),
      changed: Object.fromEntries(
        flags.map((flag) => [flag, changed === "all" || changed.includes(flag)]),
      ),
      object: draft.object,
    },
  };
}

/** The prefixes of event types whose object has a customer reference. */
export const GUEST_PREFIXES: ReadonlySet<string> = new Set([
  "booking",
  "reservation",
  "ticket_order",
]);

type ReceivingKey = Pick<EventReader, "kind" | "scopes">;

/**
 * Returns whether the events that a key receives include customer references and the reasons of
 * cancellations. A restricted key needs a scope for bookings or orders, because other partners
 * wrote these texts about their guests.
 */
export const readsReferences = (key: ReceivingKey): boolean =>
  key.kind === "SECRET" ||
  grants(key, "bookings.read") ||
  grants(key, "bookings.write") ||
  grants(key, "tickets.write");

/**
 * Returns the envelope that a key receives: the stored bytes, or a copy in which `customerRef` and
 * `cancelReason` are null.
 * @param key undefined if the endpoint belongs to the operator alone
 */
export function bodyFor(
  key: ReceivingKey | undefined,
  { type, body }: { type: EventType; body: Buffer },
): Buffer {
  if (key === undefined || !GUEST_PREFIXES.has(prefixOf(type)) || readsReferences(key)) return body;
  const envelope = JSON.parse(body.toString()) as Envelope;
  const object = envelope.data.object as { customerRef?: unknown; cancelReason?: unknown };
  if ("customerRef" in object) object.customerRef = null;
  if ("cancelReason" in object) object.cancelReason = null;
  return Buffer.from(JSON.stringify(envelope));
}

/**
 * Returns what the guests' events of these groups are about, such as `ticket orders`; undefined if
 * all groups are about the catalog.
 */
function visitsOf(groups: readonly EventGroup[]): string | undefined {
  const hasTickets = groups.includes("tickets");
  if (groups.includes("bookings"))
    return hasTickets ? "bookings, reservations and ticket orders" : "bookings and reservations";
  return hasTickets ? "ticket orders" : undefined;
}

/** Returns what a key reads about guests: a sentence, or none if it reads nothing. */
function readingSentences(key: EventReader): string[] {
  if (grants(key, "bookings.read")) {
    const extent = grants(key, "guests.read")
      ? "with the names, contact details and notes of their guests."
      : "with customer references, but without names and contact details.";
    return [`It reads all bookings, reservations and ticket orders, ${extent}`];
  }
  return grants(key, "bookings.write") || grants(key, "tickets.write")
    ? ["It reads what it has booked itself, with the data of these guests."]
    : [];
}

/**
 * Returns a sentence about the guests' events that a key receives, or none if it receives only
 * events of the catalog.
 */
function eventSentences(key: EventReader): string[] {
  const visits = visitsOf(key.eventGroups);
  if (visits === undefined) return [];
  // The operator can give an endpoint to any key, so a key without a scope for webhooks receives
  // events too.
  const receives = grants(key, "webhooks.read")
    ? "It receives"
    : "At webhook endpoints that you create for it, it receives";
  if (isLimitedToOwn(key)) return [`${receives} the events of its own ${visits}.`];
  return [
    `${receives} the events of all ${visits}, ${readsReferences(key) ? "with" : "without"} customer references.`,
  ];
}

/** Returns what a key receives about guests, as sentences for the operator. */
export function describeGuestData(key: EventReader): string[] {
  const sentences = [...readingSentences(key), ...eventSentences(key)];
  return sentences.length === 0 ? ["It receives no data about guests."] : sentences;
}
