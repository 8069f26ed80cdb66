import { describe, expect, test } from "vitest";
import { applyCatalog } from "../../../../../src/app/catalog/catalog.ts";
import { pruneVisitors } from "../../../../../src/app/bookings/booking-limits.ts";
import { shopId } from "../../../../support/shop.ts";
import type { TestRuntime } from "../../../../support/test-runtime.ts";
import {
  CUT,
  HEADER,
  monday,
  openBookingShop,
  problem,
  type Send,
} from "../../../support/bookings.ts";

const ANN = { ...CUT, staffId: shopId("stf", "ann") };

const MINUTE_MS = 60_000;

const openAllDay = (rt: TestRuntime) =>
  applyCatalog(rt, [
    {
      name: "hours.yaml",
      text: `${HEADER}hours: [{ days: [mon-sun], start: "07:00", end: "21:00" }]`,
    },
  ]);

describe("a visitor named in Visitor-Id", () => {
  const FOUR = ["visitor-a", "visitor-b", "visitor-c", "visitor-d"];
  const asVisitor = (id: string) => ({ "visitor-id": id });

  const hold = async (send: Send, visitor: string, startsAt: string) =>
    send("POST", "/holds", { startsAt, segments: [ANN] }, asVisitor(visitor));

  test("a visitor named in Visitor-Id can have three holds, which do not limit other visitors", async () => {
    const { rt, site } = openBookingShop();
    openAllDay(rt);
    for (const [n, visitor] of FOUR.entries())
      expect(problem(await hold(site.send, visitor, monday(`${10 + n}:00`)))).toBe("201 ");
    const days = ["2026-11-25T10:00:00Z", "2026-11-27T10:00:00Z"];
    for (const day of days) expect(problem(await hold(site.send, "visitor-a", day))).toBe("201 ");
    const fourth = await hold(site.send, "visitor-a", "2026-11-30T10:00:00Z");
    expect(problem(fourth)).toBe("429 too_many_holds");
    expect(fourth.headers.get("retry-after")).toBe("60");
  });

  test("visitors named in Visitor-Id can together hold half of a day and a tenth of a week, but book more than that", async () => {
    const { rt, site } = openBookingShop();
    openAllDay(rt);
    const refused: string[] = [];
    let held = 0;
    for (let n = 0; n < 14; n += 1) {
      const response = await hold(
        site.send,
        `v${n}`,
        monday(`${String(7 + n).padStart(2, "0")}:00`),
      );
      if (response.status === 201) held += 1;
      else refused.push(problem(response));
    }
    expect(held).toBe(7);
    expect(new Set(refused)).toEqual(new Set(["429 too_many_holds"]));
    const booked = await site.send(
      "POST",
      "/bookings",
      {
        startsAt: monday("20:00"),
        segments: [ANN],
      },
      asVisitor("v13"),
    );
    expect(booked.status).toBe(201);
    // All holds together may take a tenth of the free time of a week. Two staff members have 14
    // hours on each of 7 days, except 28 hours of a closure and 14 of a day off. A tenth of the
    // other 154 hours is 15 holds of an hour.
    for (let n = 0; n < 30; n += 1) {
      const day = String(25 + (n % 2) * 2);
      const time = `${String(7 + Math.floor(n / 2)).padStart(2, "0")}:00`;
      if (time > "20:00") break;
      const response = await hold(site.send, `w${n}`, `2026-11-${day}T${time}:00Z`);
      if (response.status === 201) held += 1;
    }
    expect(held).toBe(15);
  });

  test("a visitor named in Visitor-Id can book ten visits in a day", async () => {
    const { rt, site } = openBookingShop();
    openAllDay(rt);
    const book = (n: number, id: string) =>
      site.send(
        "POST",
        "/bookings",
        { startsAt: monday(`${String(7 + n).padStart(2, "0")}:00`), segments: [ANN] },
        asVisitor(id),
      );
    for (let n = 0; n < 10; n += 1) expect((await book(n, "v")).status).toBe(201);
    expect(problem(await book(10, "v"))).toBe("429 too_many_bookings");
    expect((await book(10, "other")).status).toBe(201);
    rt.advance(24 * 60 * MINUTE_MS);
    expect((await book(11, "v")).status).toBe(201);
  });

  test("the visitor named in Visitor-Id is stored as a hash, for a day", async () => {
    const { rt, site, business } = openBookingShop();
    const id = "opaque-visitor-id";
    expect((await hold(site.send, id, monday("09:00"))).status).toBe(201);
    const visitorOf = () => rt.store.holds.listOpenOfKey(business().id, site.id, 0)[0]?.visitor;
    expect(visitorOf()).toHaveLength(16);
    expect(JSON.stringify(visitorOf())).not.toContain(id);
    rt.advance(24 * 60 * MINUTE_MS);
    pruneVisitors(rt);
    expect(visitorOf()).toBeNull();
    expect(problem(await hold(site.send, "x".repeat(65), monday("10:00")))).toBe(
      "400 invalid_parameter",
    );
  });
});

test("a key cannot exceed its limit of holds by inventing visitors", async () => {
  const { rt, createClient } = openBookingShop();
  openAllDay(rt);
  const site = createClient(["bookings.write"], { maxHolds: 2 });
  const hold = async (day: string, visitor?: string) =>
    problem(
      await site.send(
        "POST",
        "/holds",
        { startsAt: `2026-11-${day}T09:00:00Z`, segments: [CUT] },
        { "visitor-id": visitor },
      ),
    );
  expect(await hold("23", "invented-1")).toBe("201 ");
  expect(await hold("30", "invented-2")).toBe("201 ");
  expect(await hold("25", "invented-3")).toBe("429 too_many_holds");
  expect(await hold("25")).toBe("429 too_many_holds");
  rt.advance(6 * MINUTE_MS);
  expect(await hold("25")).toBe("201 ");
});

test("the holds of named visitors do not count towards the default limits of their key", async () => {
  const { rt, site } = openBookingShop();
  openAllDay(rt);
  const ann = { ...CUT, staffId: shopId("stf", "ann") };
  const hold = async (hour: number, visitor?: string) =>
    problem(
      await site.send(
        "POST",
        "/holds",
        { startsAt: monday(`${hour}:00`), segments: [ann] },
        { "visitor-id": visitor },
      ),
    );
  for (const n of [0, 1, 2]) expect(await hold(10 + n, `visitor-${n}`)).toBe("201 ");
  for (const n of [3, 4, 5]) expect(await hold(10 + n)).toBe("201 ");
  expect(await hold(16)).toBe("429 too_many_holds");
});

test("a key that has released a hundred holds in time can have more than three open holds", async () => {
  const { rt, site } = openBookingShop();
  for (let n = 0; n < 101; n += 1) {
    const { body } = await site.send("POST", "/holds", {
      startsAt: monday("09:00"),
      segments: [ANN],
    });
    expect((await site.send("DELETE", `/holds/${body.data.id}`)).status).toBe(204);
    rt.advance(MINUTE_MS);
  }
  for (const time of ["25T09", "25T10", "25T11", "27T09"])
    expect(
      (await site.send("POST", "/holds", { startsAt: `2026-11-${time}:00:00Z`, segments: [ANN] }))
        .status,
    ).toBe(201);
});

test("a key that released a hundred holds only after their expiry can have only three open holds", async () => {
  const { rt, site } = openBookingShop();
  const hold = (time: string) =>
    site.send("POST", "/holds", { startsAt: `2026-11-${time}:00:00Z`, segments: [ANN] });
  for (let n = 0; n < 101; n += 1) {
    const { body } = await hold("27T09");
    rt.advance(6 * MINUTE_MS);
    expect((await site.send("DELETE", `/holds/${body.data.id}`)).status).toBe(204);
  }
  const statuses = [];
  for (const time of ["25T09", "25T10", "25T11", "27T09"]) statuses.push((await hold(time)).status);
  expect(statuses).toEqual([201, 201, 201, 429]);
});

test("visits that their visitors have cancelled do not use up the limit of their key", async () => {
  const { createClient } = openBookingShop();
  const site = createClient(["bookings.write"], { maxBookingsDay: 2 });
  const book = (visitor: string, time = "09:00") =>
    site.send(
      "POST",
      "/bookings",
      { startsAt: monday(time), segments: [CUT] },
      {
        "visitor-id": visitor,
      },
    );
  for (const visitor of ["stranger-a", "stranger-b"]) {
    const { body } = await book(visitor);
    expect((await site.send("POST", `/bookings/${body.data.id}/cancel`, {})).status).toBe(200);
    // Cancelling a booking once more changes nothing.
    expect((await site.send("POST", `/bookings/${body.data.id}/cancel`, {})).status).toBe(200);
  }
  expect((await book("guest-a")).status).toBe(201);
  expect((await book("guest-b")).status).toBe(201);
  expect(problem(await book("guest-c", "10:00"))).toBe("429 too_many_bookings");
});

test("half of a key's limit of bookings is kept for visitors who have made no visit", async () => {
  const { createClient } = openBookingShop();
  const site = createClient(["bookings.write"], { maxBookingsDay: 4 });
  const book = async (visitor: string, time: string) =>
    problem(
      await site.send(
        "POST",
        "/bookings",
        { startsAt: monday(time), segments: [CUT] },
        {
          "visitor-id": visitor,
        },
      ),
    );
  expect(await book("stranger", "09:00")).toBe("201 ");
  expect(await book("stranger", "09:00")).toBe("201 ");
  expect(await book("stranger", "10:00")).toBe("429 too_many_bookings");
  expect(await book("guest-a", "10:00")).toBe("201 ");
  expect(await book("guest-a", "11:00")).toBe("429 too_many_bookings");
  expect(await book("guest-b", "10:00")).toBe("201 ");
  expect(await book("guest-c", "11:00")).toBe("429 too_many_bookings");
});

test("a key can make as many bookings in 24 hours as its limit allows, and pending bookings count", async () => {
  const { rt, createClient } = openBookingShop();
  applyCatalog(rt, [
    {
      name: "approval.yaml",
      text: HEADER.replace("maxGapMin: 0", "maxGapMin: 0, requiresApproval: true"),
    },
  ]);
  const site = createClient(["bookings.write"], { maxBookingsDay: 2 });
  const book = (time: string) =>
    site.send("POST", "/bookings", { startsAt: monday(time), segments: [CUT] });
  expect((await book("09:00")).body.data.status).toBe("PENDING");
  const table = { startsAt: monday("09:00"), partySize: 2 };
  expect((await site.send("POST", "/reservations", table)).status).toBe(201);
  const refused = await book("10:00");
  expect(problem(refused)).toBe("429 too_many_bookings");
  expect(refused.headers.get("retry-after")).toBe("3600");
  rt.advance(24 * 60 * MINUTE_MS);
  expect((await book("10:00")).status).toBe(201);
});
