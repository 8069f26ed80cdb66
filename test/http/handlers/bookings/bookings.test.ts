import { expect, test } from "vitest";
import { shopId } from "../../../support/shop.ts";
import { CUT, monday, openBookingShop, SHOP_PATH } from "../../support/bookings.ts";

test("a website holds a listed slot, books it for a guest, reschedules and cancels it", async () => {
  const { site } = openBookingShop();
  const listed = await site.send(
    "GET",
    `/availability?serviceIds=${CUT.serviceId}&addonIds=${shopId("adn", "oil")}&date=2026-11-23`,
  );
  const { days } = listed.body.data as unknown as {
    days: { slots: { startsAt: string; segments: Record<string, unknown>[] }[] }[];
  };
  const [slot] = days[0]?.slots ?? [];
  const segments = slot?.segments.map(({ serviceId, variantId, addons, staffId }) => ({
    serviceId,
    variantId,
    addons,
    staffId,
  }));
  expect(segments).toEqual([
    {
      ...CUT,
      variantId: null,
      addons: [{ addonId: shopId("adn", "oil"), quantity: 1 }],
      staffId: shopId("stf", "ann"),
    },
  ]);
  const hold = await site.send("POST", "/holds", { startsAt: slot?.startsAt, segments });
  expect(hold.status).toBe(201);
  expect(hold.body.data).toMatchObject({
    status: "OPEN",
    expiresAt: "2026-11-20T12:05:00+00:00",
    startsAt: monday("09:00"),
    totalCents: 4700,
    currency: "EUR",
  });

  const customer = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
  const booked = await site.send("POST", "/bookings", {
    holdId: hold.body.data.id,
    customerRef: "web-812",
    customer: { name: "Ana", email: "ana@example.com" },
  });
  expect(booked.status).toBe(201);
  const { id } = booked.body.data;
  expect(booked.headers.get("location")).toBe(`${SHOP_PATH}/bookings/${id}`);
  expect(booked.headers.get("etag")).toBe('"1"');
  expect(booked.body.data).toEqual({
    id: expect.stringMatching(/^bkg_/),
    status: "CONFIRMED",
    startsAt: monday("09:00"),
    endsAt: monday("10:00"),
    segments: [
      {
        ...segments?.[0],
        startsAt: monday("09:00"),
        endsAt: monday("10:00"),
        priceCents: 4700,
        serviceName: "Cut",
        variantName: null,
        staffName: "Ann",
      },
    ],
    guests: 1,
    totalCents: 4700,
    currency: "EUR",
    customerRef: "web-812",
    cancelUntil: monday("09:00"),
    decideBy: null,
    cancelledBy: null,
    cancelReason: null,
    version: 1,
    createdAt: "2026-11-20T12:00:00+00:00",
    updatedAt: "2026-11-20T12:00:00+00:00",
  });
  const read = await site.send("GET", `/bookings/${id}`);
  expect(read.body.data).toEqual({ ...booked.body.data, customer });
  const moved = await site.send("POST", `/bookings/${id}/reschedule`, {
    startsAt: monday("11:00"),
  });
  expect(moved.body.data).toMatchObject({
    id,
    startsAt: monday("11:00"),
    endsAt: monday("12:00"),
    totalCents: 4700,
    version: 2,
  });
  const cancelled = await site.send("POST", `/bookings/${id}/cancel`, { reason: "ill" });
  expect(cancelled.body.data).toMatchObject({
    status: "CANCELLED",
    cancelledBy: "GUEST",
    cancelReason: "ill",
    version: 3,
  });
  const again = await site.send("POST", `/bookings/${id}/cancel`, {});
  expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
});
