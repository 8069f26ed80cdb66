import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { describe, expect, test } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { changeBooking } from "../../../../src/app/bookings/operator-changes.ts";
import { expirePendingVisits } from "../../../../src/app/bookings/change-visit.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { eventTypesOf, recordEvents } from "../../../support/use-case.ts";
import { SHOP_SLUG, shopId } from "../../../support/shop.ts";
import type { TestRuntime } from "../../../support/test-runtime.ts";
import {
  CUT,
  HEADER,
  monday,
  openBookingShop,
  problem,
  type Send,
  visit,
} from "../../support/bookings.ts";

const HOUR_MS = 3_600_000;

/** Makes bookings need approval, and lets guests cancel until two hours before the start. */
const strictRules = (rt: TestRuntime) =>
  applyCatalog(rt, [
    {
      name: "strict.yaml",
      text: HEADER.replace(
        "maxGapMin: 0",
        "maxGapMin: 0, requiresApproval: true, cancelUntilMin: 120",
      ),
    },
  ]);

describe("where the business approves bookings", () => {
  test("a booking that needs approval is PENDING and occupies its time until it is decided", async () => {
    const { rt, site, owner } = openBookingShop();
    strictRules(rt);
    const create = async (time: string): Promise<string> => {
      const { body } = await site.send("POST", "/bookings", visit(time));
      expect(body.data).toMatchObject({
        status: "PENDING",
        decideBy: "2026-11-21T12:00:00+00:00",
      });
      return body.data.id;
    };
    const ids = [await create("09:00"), await create("09:00"), await create("10:00")] as const;
    expect(problem(await site.send("POST", "/bookings", visit("09:00")))).toBe(
      "409 slot_taken TAKEN",
    );
    expect(problem(await site.send("POST", `/bookings/${ids[0]}/approve`, {}))).toBe(
      "403 insufficient_scope",
    );
    const approved = await owner.send("POST", `/bookings/${ids[0]}/approve`, {});
    expect(approved.body.data).toMatchObject({ status: "CONFIRMED", decideBy: null, version: 2 });
    const declined = await owner.send("POST", `/bookings/${ids[1]}/decline`, {});
    expect(declined.body.data).toMatchObject({
      status: "CANCELLED",
      cancelledBy: "BUSINESS",
      cancelReason: "DECLINED",
    });
    const again = await owner.send("POST", `/bookings/${ids[1]}/approve`, {});
    expect([problem(again), again.body["currentStatus"]]).toEqual([
      "409 wrong_status",
      "CANCELLED",
    ]);

    rt.advance(24 * HOUR_MS);
    const events = recordEvents(rt, () => expirePendingVisits(rt));
    expect(eventTypesOf(events)).toEqual(["booking.cancelled"]);
    expect(recordEvents(rt, () => expirePendingVisits(rt))).toEqual([]);
    expect((await site.send("GET", `/bookings/${ids[2]}`)).body.data).toMatchObject({
      status: "CANCELLED",
      cancelledBy: "SYSTEM",
      cancelReason: "EXPIRED",
    });
    // Bookings by the operator need no approval.
    expect(createBooking(rt, SHOP_SLUG, { service: "cut", start: monday("11:00") })).toMatchObject({
      status: "CONFIRMED",
    });
  });

  test("a visit needs approval again if its guest reschedules it, but not if the business does", async () => {
    const { rt, site, owner } = openBookingShop();
    strictRules(rt);
    const { id } = (await site.send("POST", "/bookings", visit("09:00"))).body.data;
    changeBooking(rt, SHOP_SLUG, id, "approve");
    const move = async (send: Send, time: string) =>
      (await send("POST", `/bookings/${id}/reschedule`, { startsAt: monday(time) })).body.data;
    expect(await move(owner.send, "10:00")).toMatchObject({ status: "CONFIRMED" });
    expect(await move(site.send, "11:00")).toMatchObject({
      status: "PENDING",
      cancelUntil: monday("09:00"),
    });
  });

  test("a website can neither cancel nor reschedule a visit after cancelUntil", async () => {
    const { rt, site, owner } = openBookingShop();
    strictRules(rt);
    const { id } = (await site.send("POST", "/bookings", visit("11:00"))).body.data;
    changeBooking(rt, SHOP_SLUG, id, "approve");
    rt.advance(Date.parse(monday("09:00")) + 1 - rt.now());
    for (const [action, body] of [
      ["cancel", {}],
      ["reschedule", { startsAt: "2026-11-25T09:00:00Z" }],
    ] as const)
      expect(problem(await site.send("POST", `/bookings/${id}/${action}`, body))).toBe(
        "409 cancellation_closed",
      );
    expect(problem(await owner.send("POST", `/bookings/${id}/complete`, {}))).toBe(
      "409 wrong_status",
    );
    rt.advance(2 * HOUR_MS);
    for (const [action, status] of [
      ["complete", "COMPLETED"],
      ["no-show", "NO_SHOW"],
      ["complete", "COMPLETED"],
    ])
      expect((await owner.send("POST", `/bookings/${id}/${action}`, {})).body.data.status).toBe(
        status,
      );
    expect(problem(await owner.send("POST", `/bookings/${id}/cancel`, {}))).toBe(
      "409 wrong_status",
    );
  });
});

test("every route responds to another key's hold or visit as to one that never existed", async () => {
  const { site, createClient } = openBookingShop();
  const other = createClient(["services.read", "bookings.write"]);
  const create = async (path: string, body: object) =>
    (await site.send("POST", path, body)).body.data.id as string;
  const reader = createClient(["bookings.read"]);
  const ids = {
    bookings: await create("/bookings", visit("09:00", { customer: { name: "Ana" } })),
    reservations: await create("/reservations", { startsAt: monday("09:00"), partySize: 2 }),
  };
  const actions = {
    bookings: ["cancel", "reschedule"],
    reservations: ["cancel", "reschedule"],
  };
  for (const [path, id] of Object.entries(ids)) {
    const unknown = id.replace(/.{8}$/, "00000000");
    const shown = async (method: string, suffix: string, of: string) => {
      const body = suffix === "/reschedule" ? { startsAt: monday("10:00") } : {};
      const sent = await other.send(
        method,
        `/${path}/${of}${suffix}`,
        method === "GET" ? undefined : body,
        { "if-match": '"1"', "if-none-match": '"1"' },
      );
      const headers = [...sent.headers].filter(([name]) => !/request-id|ratelimit$/.test(name));
      return `${sent.status} ${JSON.stringify(headers)} ${sent.text.replace(/"req_\w+"/, "")}`.replaceAll(
        of,
        "ID",
      );
    };
    const requests = [
      ["GET", ""],
      ["PATCH", ""],
      ...actions[path as keyof typeof actions].map((action) => ["POST", `/${action}`]),
    ] as [string, string][];
    for (const [method, suffix] of requests) {
      const response = await shown(method, suffix, id);
      expect(response).toMatch(/^404 .*resource_not_found/);
      expect(response).toBe(await shown(method, suffix, unknown));
    }
    const listed = await other.send("GET", `/${path}?includeCustomer=true`);
    expect([listed.status, listed.body.data]).toEqual([200, []]);
    const read = await reader.send("GET", `/${path}/${id}`);
    expect([read.status, "customer" in read.body.data]).toEqual([200, false]);
    expect((await reader.send("GET", `/${path}?includeCustomer=true`)).text).not.toContain("Ana");
  }
  expect(problem(await reader.send("POST", `/bookings/${ids.bookings}/cancel`, {}))).toBe(
    "403 insufficient_scope",
  );
});

test("the ETag of a visit is its version, and a change with an older version in If-Match is refused", async () => {
  const { site, owner } = openBookingShop();
  const { id } = (await site.send("POST", "/bookings", visit("09:00"))).body.data;
  const path = `/bookings/${id}`;
  const first = await site.send("GET", path, undefined, { "accept-encoding": "gzip" });
  expect([first.headers.get("etag"), first.headers.get("content-encoding")]).toEqual(['"1"', null]);
  expect((await site.send("GET", path, undefined, { "if-none-match": '"1"' })).status).toBe(304);
  const customer = { name: "Ana", email: "ana@example.com", notes: "Two\nlines" };
  const updated = await owner.send(
    "PATCH",
    path,
    { customer, customerRef: "web-1" },
    { "if-match": '"1"' },
  );
  expect([updated.status, updated.headers.get("etag")]).toEqual([200, '"2"']);
  expect(updated.text).not.toContain("Ana");
  for (const [method, suffix] of [
    ["PATCH", ""],
    ["POST", "/cancel"],
  ] as const)
    expect(problem(await site.send(method, path + suffix, {}, { "if-match": '"1"' }))).toBe(
      "412 version_mismatch",
    );
  await site.send("PATCH", path, { customer: { email: null } });
  expect((await site.send("GET", path)).body.data).toMatchObject({
    customer: { name: "Ana", email: null, phone: null, notes: "Two\nlines" },
    customerRef: "web-1",
    version: 3,
  });
  await site.send("PATCH", path, { customer: null });
  expect((await site.send("GET", path)).body.data.customer).toBeNull();
});

test("hiding a staff member changes the ETag of a visit, and filtering by that person finds nothing", async () => {
  const { rt, site, owner } = openBookingShop();
  const staffId = shopId("stf", "ann");
  const booked = await site.send("POST", "/bookings", {
    startsAt: monday("09:00"),
    segments: [{ ...CUT, staffId }],
  });
  const path = `/bookings/${booked.body.data.id}`;
  const read = (etag: string) => site.send("GET", path, undefined, { "if-none-match": etag });
  const list = async ({ send } = site, id = staffId) =>
    (await send("GET", `/bookings?staffId=${id}`)).body.data.length as number;
  expect([(await read('"1"')).status, await list()]).toEqual([304, 1]);

  editObject(rt, "shop", "staff", "ann", (doc) => ({ ...doc, public: false }));
  const hidden = await read('"1"');
  expect([hidden.status, hidden.headers.get("etag")]).toEqual([200, '"1-0"']);
  expect(hidden.body.data.segments).toMatchObject([{ staffId: null, staffName: null }]);
  expect((await read('"1-0"')).status).toBe(304);
  expect((await owner.send("GET", path)).headers.get("etag")).toBe('"1"');
  expect([await list(), await list(site, "stf_nobody"), await list(owner)]).toEqual([0, 0, 1]);

  const move = (etag: string) =>
    site.send("PATCH", path, { customerRef: "web-1" }, { "if-match": etag });
  expect(problem(await move('"2-0"'))).toBe("412 version_mismatch");
  const changed = await move('"1-0"');
  expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2-0"']);
});

test("a booking at a price that has changed is refused with the new total", async () => {
  const { site } = openBookingShop();
  const refused = await site.send(
    "POST",
    "/bookings",
    visit("09:00", { expectedTotalCents: 3900 }),
  );
  expect([problem(refused), refused.body["totalCents"]]).toEqual(["409 price_changed", 4000]);
  const booked = await site.send("POST", "/bookings", visit("09:00", { expectedTotalCents: 4000 }));
  expect(booked.status).toBe(201);
});

test("a rescheduled booking keeps its services, staff and price unless segments are given", async () => {
  const { rt, site } = openBookingShop();
  const booked = await site.send("POST", "/bookings", {
    startsAt: monday("09:00"),
    segments: [{ ...CUT, staffId: shopId("stf", "ann") }],
  });
  applyCatalog(rt, [
    {
      name: "dearer.yaml",
      text: `${HEADER}services: [{ key: cut, name: Trim, durationMin: 60, price: 50.00, staff: [ann, bea], addons: [{ addon: wash, max: 2 }, { addon: oil }] }]`,
    },
  ]);
  const path = `/bookings/${booked.body.data.id}/reschedule`;
  // The new time of the visit may overlap its old one.
  const moved = await site.send("POST", path, { startsAt: monday("10:00") });
  expect(moved.body.data).toMatchObject({
    totalCents: 4000,
    segments: [{ serviceName: "Cut", staffId: shopId("stf", "ann"), startsAt: monday("10:00") }],
  });
  const other = await site.send("POST", path, { startsAt: monday("10:00"), segments: [CUT] });
  expect(other.body.data).toMatchObject({ totalCents: 5000, segments: [{ serviceName: "Trim" }] });
});

test("an error about a field that the body of a reschedule omits has no pointer into the body", async () => {
  const { rt, site } = openBookingShop();
  const wash = [{ addonId: shopId("adn", "wash"), quantity: 1 }];
  const booked = await site.send("POST", "/bookings", {
    startsAt: monday("09:00"),
    segments: [{ ...CUT, addons: wash }],
  });
  const table = { startsAt: monday("10:00"), partySize: 4 };
  const reserved = await site.send("POST", "/reservations", table);
  const tables = `tables: [{ key: t2, minSeats: 1, maxSeats: 2 }, { key: t4, minSeats: 1, maxSeats: 2 }]\n`;
  const services = `services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [ann, bea], addons: [{ addon: oil }] }]`;
  applyCatalog(rt, [{ name: "a.yaml", text: HEADER + tables + services }]);
  const path = `/bookings/${booked.body.data.id}/reschedule`;
  const move = { startsAt: monday("10:00") };
  const refused = await site.send("POST", path, move);
  expect([problem(refused), refused.body.errors, refused.body["fix"]]).toEqual([
    "422 addon_not_linked",
    [{ code: "addon_not_linked", detail: expect.stringContaining("not offered with") }],
    "send segments, because the visit cannot keep its present values",
  ]);
  const given = await site.send("POST", path, { ...move, segments: [{ ...CUT, addons: wash }] });
  expect(given.body.errors).toMatchObject([{ pointer: "#/segments/0/addons" }]);
  const tableUrl = `/reservations/${reserved.body.data.id}/reschedule`;
  const large = await site.send("POST", tableUrl, move);
  expect([problem(large), large.body.errors?.[0]?.pointer, large.body["fix"]]).toEqual([
    "422 party_too_large",
    undefined,
    "send partySize, because the visit cannot keep its present values",
  ]);
});

test("lists of visits are filtered, sorted by start or change, and paged", async () => {
  const { rt, site, owner } = openBookingShop();
  const ids: Record<string, string> = {};
  for (const [name, client, startsAt] of [
    ["late", site, "2026-11-25T09:00:00Z"],
    ["early", site, monday("09:00")],
    ["owners", owner, monday("10:00")],
  ] as const) {
    const { body } = await client.send("POST", "/bookings", { startsAt, segments: [CUT] });
    ids[name] = body.data.id;
    rt.advance(1000);
  }
  await owner.send("POST", `/bookings/${ids["early"]}/cancel`, {});
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const list = async (query: string, client = owner) => {
    const { body } = await client.send("GET", `/bookings${query}`);
    return { page: body.page, names: body.data.map(({ id }: { id: string }) => names.get(id)) };
  };
  expect((await list("")).names).toEqual(["early", "owners", "late"]);
  expect((await list("", site)).names).toEqual(["early", "late"]);
  for (const [query, expected] of [
    ["?from=2026-11-23&to=2026-11-23", ["early", "owners"]],
    ["?from=2026-11-24", ["late"]],
    ["?status=CANCELLED", ["early"]],
    [`?serviceId=${CUT.serviceId}`, ["early", "owners", "late"]],
    ["?serviceId=svc_none", []],
    [`?staffId=${shopId("stf", "ann")}&from=2026-11-23`, ["early", "owners", "late"]],
    ["?updatedSince=2026-11-20T12:00:01Z", ["owners", "early"]],
  ] as const)
    expect([query, (await list(query)).names]).toEqual([query, expected]);
  for (const query of ["?limit=2", "?limit=2&updatedSince=2026-11-20T12:00:00Z"]) {
    const first = await list(query);
    expect(first.page).toMatchObject({ hasMore: true });
    const second = await list(`${query}&cursor=${first.page.nextCursor}`);
    expect([...first.names, ...second.names]).toHaveLength(3);
    expect(new Set([...first.names, ...second.names]).size).toBe(3);
    expect(second.page).toEqual({ hasMore: false, nextCursor: null });
  }
  const cursor = (await list("?limit=1")).page.nextCursor;
  const mixed = await owner.send("GET", `/bookings?updatedSince=2026-11-20&cursor=${cursor}`);
  expect(problem(mixed)).toBe("400 invalid_cursor");
  const dates = await owner.send("GET", "/bookings?from=2026-11-31");
  expect(problem(dates)).toBe("400 invalid_date");
});

test("a visit made after the clock is set back has no earlier updatedAt than the visits before it", async () => {
  const { rt, site } = openBookingShop();
  const create = async (time: string) =>
    (await site.send("POST", "/bookings", visit(time))).body.data;
  const first = await create("09:00");
  rt.shiftClock(-HOUR_MS);
  expect((await create("10:00")).updatedAt).toBe(first.updatedAt);
});
