import { expect, test } from "vitest";
import {
  addBusinesses as reach,
  removeBusinesses,
} from "../../../../src/features/partners/partners.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { concertIds, monday, openBookingShop, visit } from "../../../http/support/bookings.ts";
import { createClient, createTestPartner } from "./support.ts";

test("a partner that is removed from a business and added again manages its own visits there, and no others", async () => {
  const rt = createTestRuntime();
  const { site, business } = openBookingShop(rt);
  const scopes = ["services.read", "bookings.write", "tickets.write"] as const;
  const settings = { scopes: [...scopes], maxBookingsDay: 2 };
  const { partner, secret } = createTestPartner(rt, [business()], settings);
  const rival = createTestPartner(rt, [business()], { ...settings, name: "rival" });
  const ask = createClient(rt, secret);
  const send = async (path: string, body?: object) => {
    const answer = await ask<never>(`businesses/shop/${path}`, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    });
    return answer as unknown as { status: number; code: string; data: { id: string } };
  };
  const { eventId, ticketTypeId } = concertIds(rt);
  const order = { eventId, items: [{ ticketTypeId, quantity: 1 }] };
  const table = { startsAt: monday("10:00"), partySize: 2 };
  const paths = [
    `bookings/${(await send("bookings", visit("09:00"))).data.id}`,
    `reservations/${(await send("reservations", table)).data.id}`,
    `ticket-orders/${(await send("ticket-orders", order)).data.id}`,
  ];
  const foreign = await site.send("POST", "/bookings", visit("10:00"));

  removeBusinesses(rt, rival.partner, [business()]);
  removeBusinesses(rt, partner, [business()], { isExclusion: true });
  for (const path of paths) expect((await send(path)).status, path).toBe(403);
  reach(rt, rival.partner, [business()]);
  reach(rt, partner, [business()]);
  const asRival = createClient(rt, rival.secret);
  for (const path of paths) {
    expect((await send(path)).status, path).toBe(200);
    expect((await asRival(`businesses/shop/${path}`)).status, path).toBe(404);
    expect((await site.send("GET", `/${path}`)).status, path).toBe(404);
  }
  expect((await send(`bookings/${foreign.body.data.id}`)).status).toBe(404);

  // The visits that the partner made before count against its limit.
  expect((await send("bookings", visit("11:00"))).code).toBe("too_many_bookings");
  for (const path of paths) expect((await send(`${path}/cancel`, {})).status, path).toBe(200);
  expect((await send("bookings", visit("11:00"))).status).toBe(201);
});
