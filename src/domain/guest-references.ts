import { grants } from "./api-key.ts";
import type { Envelope } from "./envelope.ts";
import { type EventGroup, type EventReader, isLimitedToOwn } from "./event-groups.ts";
import { type EventType, prefixOf } from "./event-types.ts";

const PREFIXES: ReadonlySet<string> = new Set(["booking", "reservation", "ticket_order"]);

type Reader = Pick<EventReader, "kind" | "scopes">;

/**
 * Whether the events of a key have customer references and reasons of cancellations. A restricted
 * key needs a scope for bookings or orders: other partners wrote these texts about their guests.
 */
export const readsReferences = (key: Reader): boolean =>
  key.kind === "SECRET" ||
  grants(key, "bookings.read") ||
  grants(key, "bookings.write") ||
  grants(key, "tickets.write");

/**
 * Returns the envelope that a key receives: the stored bytes, or a copy in which `customerRef` and
 * `cancelReason` are null.
 * @param key undefined: the endpoint belongs to the operator alone
 */
export function bodyFor(
  key: Reader | undefined,
  { type, body }: { type: EventType; body: Buffer },
): Buffer {
  if (key === undefined || !PREFIXES.has(prefixOf(type)) || readsReferences(key)) return body;
  const envelope = JSON.parse(body.toString()) as Envelope;
  const object = envelope.data.object as { customerRef?: unknown; cancelReason?: unknown };
  if ("customerRef" in object) object.customerRef = null;
  if ("cancelReason" in object) object.cancelReason = null;
  return Buffer.from(JSON.stringify(envelope));
}

/** What the events of both groups, or of one, are about. */
function visitsOf(groups: readonly EventGroup[]): string | undefined {
  const hasTickets = groups.includes("tickets");
  if (groups.includes("bookings"))
    return hasTickets ? "bookings, reservations and ticket orders" : "bookings and reservations";
  return hasTickets ? "ticket orders" : undefined;
}

/** Returns what a key receives about guests, as sentences for the operator. */
export function describeGuestData(key: EventReader): string[] {
  const lists = grants(key, "bookings.read")
    ? [
        `It reads all bookings, reservations and ticket orders, ${
          grants(key, "guests.read")
            ? "with the names, contact details and notes of their guests."
            : "with customer references, but without names and contact details."
        }`,
      ]
    : grants(key, "bookings.write") || grants(key, "tickets.write")
      ? ["It reads what it has booked itself, with the data of these guests."]
      : [];
  const visits = visitsOf(key.eventGroups);
  // The operator can give an endpoint to any key, so a key without a scope for webhooks has events too.
  const receives = grants(key, "webhooks.read")
    ? "It receives"
    : "At webhook endpoints that you create for it, it receives";
  const events =
    visits === undefined
      ? []
      : isLimitedToOwn(key)
        ? [`${receives} the events of its own ${visits}.`]
        : [
            `${receives} the events of all ${visits}, ${readsReferences(key) ? "with" : "without"} customer references.`,
          ];
  const all = [...lists, ...events];
  return all.length === 0 ? ["It receives no data about guests."] : all;
}
