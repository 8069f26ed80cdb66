import { generateCode, hashAdmissionCode } from "./short-code.ts";
import {
  type PublicTicket,
  type Ticket,
  ticketCheckedInEvent,
  type TicketOrder,
  toPublicTicket,
  wrongOrderStatusError,
} from "./rules.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { formatInstant } from "../../domain/local-time.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getBusiness } from "../../app/businesses.ts";
import { audit } from "../../app/audit.ts";
import { appendEvents } from "../../app/events.ts";
import type { Runtime } from "../../app/runtime.ts";
import { auditOrder } from "./orders/audit-order.ts";
import { keepCode } from "./kept-codes.ts";
import { createOrderStore, createTicketStore } from "./store.ts";

/** An admission code of four groups has 80 random bits, so nobody can guess it. */
const ADMISSION_CODE_GROUPS = 4;

/**
 * A ticket with its admission code. The ticket's row in the database has only a hash of the code.
 */
export type IssuedTicket = PublicTicket & { admissionCode: string };

/** Issues a ticket. Call it in a transaction. */
export function issueTicket(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  ticketTypeId: string,
): IssuedTicket {
  const admissionCode = generateCode(rt.random, ADMISSION_CODE_GROUPS);
  const ticket: Ticket = {
    id: rt.newId("tck"),
    orderId: order.id,
    eventId: order.eventId,
    ticketTypeId,
    status: "VALID",
    checkedInAt: null,
    version: 1,
    createdAt: rt.now(),
  };
  rt.openStore(createTicketStore).insert(business.id, ticket, hashAdmissionCode(admissionCode));
  keepCode(rt, order.id, ticket.id, admissionCode);
  return { ...toPublicTicket(ticket, business.doc.timezone), admissionCode };
}

/**
 * Replaces the admission codes of the tickets that are not checked in. Call it in a transaction.
 * @throws AppError wrong_status
 */
export function reissueTickets(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
): IssuedTicket[] {
  if (order.status !== "CONFIRMED") throw wrongOrderStatusError(order, "reissued");
  auditOrder(rt, business, "ticket_order.reissued", order);
  const quantity = order.items.reduce((sum, item) => sum + item.quantity, 0);
  const valid = { businessId: business.id, orderId: order.id, status: "VALID" as const };
  return rt
    .openStore(createTicketStore)
    .list(valid, quantity)
    .map((ticket) => {
      const admissionCode = generateCode(rt.random, ADMISSION_CODE_GROUPS);
      rt.openStore(createTicketStore).replaceAdmission(ticket.id, hashAdmissionCode(admissionCode));
      keepCode(rt, order.id, ticket.id, admissionCode);
      const changed = { ...ticket, version: ticket.version + 1 };
      return { ...toPublicTicket(changed, business.doc.timezone), admissionCode };
    });
}

/**
 * Checks in a ticket, once.
 * @param codeOrId the admission code, or the ID of the ticket if its holder lost the code
 * @param assertAdmitted called with a valid, unused ticket; throws if the caller does not admit it
 * @throws AppError resource_not_found, conflict
 */
export function checkInTicket(
  rt: Runtime,
  slug: string,
  codeOrId: string,
  assertAdmitted: (ticket: Ticket) => void = () => {},
): PublicTicket {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const ticket = assertFound(
      rt
        .openStore(createTicketStore)
        .findByIdOrAdmission(business.id, codeOrId, hashAdmissionCode(codeOrId)),
      "There is no ticket with this code or ID.",
      "deskbell tickets list --order <order>",
    );
    if (ticket.status === "VOID")
      throw new AppError("conflict", `Ticket ${ticket.id} is void: its order was cancelled.`);
    if (ticket.checkedInAt !== null)
      throw new AppError(
        "conflict",
        `Ticket ${ticket.id} was checked in at ${formatInstant(ticket.checkedInAt, timezone)}.`,
      );
    assertAdmitted(ticket);
    const now = rt.now();
    rt.openStore(createTicketStore).checkIn(ticket.id, now);
    const publicTicket = toPublicTicket(
      { ...ticket, status: "CHECKED_IN", checkedInAt: now, version: ticket.version + 1 },
      timezone,
    );
    const order = rt.openStore(createOrderStore).findById(business.id, ticket.orderId);
    const ownerKeyId = order?.createdByKey ?? null;
    appendEvents(rt, business, [ticketCheckedInEvent(publicTicket)], ownerKeyId);
    audit(rt, {
      action: "ticket.checked_in",
      subject: { id: ticket.id, name: order?.code ?? ticket.orderId },
      businessId: business.id,
      // The order's ID makes this entry appear in the audit log of the order, too.
      details: { visitIds: [ticket.orderId] },
    });
    return publicTicket;
  });
}
