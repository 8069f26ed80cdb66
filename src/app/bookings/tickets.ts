import { formatInstant } from "../../domain/local-time.ts";
import { AppError } from "../../domain/errors.ts";
import { hashAdmissionCode } from "../../domain/bookings/short-code.ts";
import {
  type PublicTicket,
  toPublicTicket,
  ticketCheckedInEvent,
} from "../../domain/bookings/ticket-order.ts";
import type { Runtime } from "../runtime.ts";
import { getBusiness } from "../businesses.ts";
import { appendEvents } from "../events.ts";

/**
 * Checks in a ticket, once.
 * @param codeOrId the admission code, or the ticket's ID if the holder lost the code
 * @throws AppError resource_not_found, conflict
 */
export function checkInTicket(rt: Runtime, slug: string, codeOrId: string): PublicTicket {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const ticket = rt.store.tickets.findByIdOrAdmission(
      business.id,
      codeOrId,
      hashAdmissionCode(codeOrId),
    );
    if (!ticket)
      throw new AppError("resource_not_found", "There is no ticket with this code or ID.", {
        fix: "deskbell tickets list --order <order>",
      });
    if (ticket.status === "VOID")
      throw new AppError("conflict", `Ticket ${ticket.id} is void: its order was cancelled.`);
    if (ticket.checkedInAt !== null)
      throw new AppError(
        "conflict",
        `Ticket ${ticket.id} was checked in at ${formatInstant(ticket.checkedInAt, timezone)}.`,
      );
    const now = rt.now();
    rt.store.tickets.checkIn(ticket.id, now);
    const publicTicket = toPublicTicket(
      { ...ticket, status: "CHECKED_IN", checkedInAt: now },
      timezone,
    );
    appendEvents(rt, business, [ticketCheckedInEvent(publicTicket)]);
    return publicTicket;
  });
}
