import type { OtherVisits } from "../../app/bookings/other-visits.ts";
import { normalizeCode } from "./short-code.ts";
import { toPublicTicketOrder } from "./rules.ts";
import { sampleOrderEvent } from "./sample-events.ts";
import { createOrderStore } from "./store.ts";

// The core reads ticket orders through these functions. This file imports no use case, so that it
// loads fast: every command that opens the data loads it.

const orders: OtherVisits = {
  name: "ticketOrders",
  find(rt, businessId, idOrCode) {
    const code = normalizeCode(idOrCode);
    return rt.openStore(createOrderStore).findByIdOrCode(businessId, idOrCode, code);
  },
  describe(rt, { id: businessId, doc: { timezone } }, id) {
    const order = rt.openStore(createOrderStore).findById(businessId, id);
    return order && { type: "ticket_order", object: toPublicTicketOrder(order, timezone) };
  },
  listActiveOf: (rt, businessId, ids) =>
    rt.openStore(createOrderStore).listActiveOf(businessId, rt.now(), ids),
  countPending: (rt, keyId) => rt.openStore(createOrderStore).countPending(keyId, rt.now()),
  sampleEvent: sampleOrderEvent,
  loadCancel: async () => (await import("./orders/change-order.ts")).cancelTicketOrder,
};

export const visits: readonly OtherVisits[] = [orders];
