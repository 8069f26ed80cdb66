import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import { quote, shellQuote } from "../../domain/text.ts";
import { otherVisits } from "../bookings/other-visits.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { editObject } from "./changes/edit-object.ts";
import { getStoredObject } from "./objects.ts";
import type { ChangeResult } from "./changes/plan-change.ts";

/** `orders` has the IDs of the ticket orders for the event, which stay as they are. */
export type PublicEventChange = { result: ChangeResult; orders: string[] };

/** Cancels a public event. Its tickets are no longer sold. */
export const cancelPublicEvent = (rt: Runtime, slug: string, keyOrId: string): PublicEventChange =>
  editPublicEvent(rt, slug, keyOrId, (doc) => ({ ...assertPublished(doc), status: "CANCELLED" }));

/**
 * Postpones a public event to `startsAt`, or to a date that is still open if `startsAt` is null.
 * Its tickets are not sold until its status is PUBLISHED again.
 * @throws AppError invalid_date if `startsAt` is in the past
 */
export function postponePublicEvent(
  rt: Runtime,
  slug: string,
  keyOrId: string,
  startsAt: number | null,
): PublicEventChange {
  if (startsAt !== null && startsAt <= rt.now())
    throw new AppError("invalid_date", "The new start is in the past.");
  return editPublicEvent(rt, slug, keyOrId, (doc) => ({
    ...(startsAt === null ? assertPublished(doc) : movedTo(assertPublished(doc), startsAt)),
    status: "POSTPONED",
  }));
}

/**
 * Returns a public event with a new start. The end, the doors and the end of ticket sales move with
 * the start.
 */
export function movedTo(doc: PublicEventDoc, startsAt: number): PublicEventDoc {
  const byMs = startsAt - doc.startsAt;
  const moved = (at: number | null) => at && at + byMs;
  return {
    ...doc,
    startsAt,
    endsAt: doc.endsAt + byMs,
    doorsAt: moved(doc.doorsAt),
    ticketTypes: doc.ticketTypes.map((type) => ({ ...type, salesEndAt: moved(type.salesEndAt) })),
  };
}

/** Edits a public event. @throws AppError as `editObject` */
export function editPublicEvent(
  rt: Runtime,
  slug: string,
  keyOrId: string,
  edit: (doc: PublicEventDoc) => PublicEventDoc,
): PublicEventChange {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const doc = getStoredObject(rt, business, "public_event", keyOrId);
    const result = editObject(rt, slug, "public_event", doc.key, edit);
    const ids = [objectId("public_event", slug, doc)];
    const orders = otherVisits()
      .flatMap(({ listActiveOf }) => listActiveOf(rt, business.id, ids))
      .map((visit) => visit.id);
    return { result, orders };
  });
}

/**
 * Asserts that a public event is not a draft. Partners know nothing of a draft, so they would get a
 * cancelled draft as a new event.
 */
function assertPublished(doc: PublicEventDoc): PublicEventDoc {
  if (doc.status !== "DRAFT") return doc;
  throw new AppError("state_refuses", `The event ${quote(doc.key)} is a draft.`, {
    fix: `change it with deskbell public-events update ${shellQuote(doc.key)}, or delete it from the catalog file`,
  });
}
