import type { Runtime } from "../../../app/runtime.ts";
import type { PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import { ticketTypeId } from "../../../domain/public/public-event.ts";
import { AppError } from "../../../domain/errors.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { hashAdmissionCode } from "../../tickets/short-code.ts";
import { createTicketStore } from "../../tickets/store.ts";
import { checkInTicket } from "../../tickets/tickets.ts";
import { type DeskRefusal, isAdmittedAt, localOf } from "../rules.ts";

/** The ticket is valid, but its event is not the one that takes place now. */
class OtherEventError extends AppError {
  readonly event: PublicEventDoc;

  constructor(event: PublicEventDoc) {
    super("conflict", `The ticket is for '${event.name}', which does not take place now.`);
    this.event = event;
  }
}

/**
 * Checks in a ticket at the door, which admits tickets of the current event only.
 * @returns what the ticket is for, such as `Gala, Balcony`; undefined if the catalog lacks its event
 * @throws AppError resource_not_found, conflict
 */
export function checkInAtDoor(
  rt: Runtime,
  business: BusinessRow,
  code: string,
): string | undefined {
  const findEvent = (eventId: string) =>
    rt.store.catalog.findByKeyOrId(business.id, "public_event", eventId);
  const ticket = checkInTicket(rt, business.slug, code.trim(), ({ eventId }) => {
    const event = findEvent(eventId);
    if (event !== undefined && !isAdmittedAt(event, rt.now())) throw new OtherEventError(event);
  });
  const event = findEvent(ticket.eventId);
  if (event === undefined) return undefined;
  const type = event.ticketTypes.find(
    (one) => ticketTypeId(business.slug, event, one) === ticket.ticketTypeId,
  );
  return type === undefined ? event.name : `${event.name}, ${type.name}`;
}

/**
 * Returns why a ticket was not checked in; undefined if the reason is not about the ticket. The
 * error says it in English and with an ISO time, but the people at the door read their own
 * language.
 */
export function explainTicket(
  rt: Runtime,
  { id, doc }: BusinessRow,
  code: string,
  error: AppError,
): DeskRefusal | undefined {
  if (error instanceof OtherEventError) {
    const { name, startsAt } = error.event;
    return { code: "other_event", at: localOf(startsAt, doc.timezone), name };
  }
  const trimmedCode = code.trim();
  const ticket = rt
    .openStore(createTicketStore)
    .findByIdOrAdmission(id, trimmedCode, hashAdmissionCode(trimmedCode));
  if (ticket === undefined) return { code: "unknown", at: null };
  if (ticket.status === "VOID") return { code: "void", at: null };
  return ticket.checkedInAt === null
    ? undefined
    : { code: "used", at: localOf(ticket.checkedInAt, doc.timezone) };
}
