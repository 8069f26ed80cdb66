import type { ReadGuestRecords } from "../../app/feature-hooks.ts";
import { createTicketCodeStore } from "./store.ts";

/** Returns the IDs of those tickets of an order whose admission codes are kept. */
const readKeptTickets: ReadGuestRecords = (rt, orderId) => {
  const rows = rt.openStore(createTicketCodeStore).listByOrder(orderId);
  return rows.length === 0 ? {} : { ticketsWithCodes: rows.map(({ ticketId: id }) => ({ id })) };
};

export const guestRecords: readonly ReadGuestRecords[] = [readKeptTickets];
