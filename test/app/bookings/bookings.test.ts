import { describe, expect, test } from "vitest";
import { accessOf } from "../../../src/app/bookings/access.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createBooking, reserveTable } from "../../../src/app/bookings/bookings.ts";
import { createKey } from "../../../src/app/keys.ts";
import { cancelBooking, getBooking } from "../../../src/app/bookings/operator-changes.ts";
import type { PublicBooking } from "../../../src/domain/bookings/booking.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { rescheduleBooking } from "../../../src/app/bookings/reschedule.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { updateVisit, type VisitUpdate } from "../../../src/app/bookings/change-visit.ts";
import { BOOKING } from "../../../src/app/bookings/visit-kinds.ts";
import {
  applyCatalogBody,
  recordEvents,
  captureError,
  eventTypesOf,
} from "../../support/use-case.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const DAY_MS = 86_400_000;
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
resources: [{ key: room, name: Room, capacity: 1 }]
addons:
  - { key: wash, name: Wash, price: 5.00, durationMin: 10, maxQuantity: 2 }
  - { key: towel, name: Towel, price: 1.00, durationMin: 0 }
  - { key: tea, name: Tea, price: 2.00, durationMin: 0 }
services:
  - key: cut
    name: Cut
    durationMin: 30
    price: 40.00
    bufferAfterMin: 15
    bookingRules: { maxAdvanceDays: 400 }
    staff: [leo, mia]
    variants:
      - { key: long, name: Long, durationMin: 60, price: 60.00 }
      - { key: mias, name: Mia's own, durationMin: 45, price: 90.00, staff: [mia] }
    addons: [{ addon: wash, max: 2 }, { addon: towel, required: true }]
  - { key: colour, name: Colour, durationMin: 60, price: 80.00, staff: [mia], resources: [{ resource: room, units: 1 }] }
  - { key: peel, name: Peel, durationMin: 60, price: 50.00, staff: [leo], resources: [{ resource: room, units: 1 }] }
  - { key: yoga, name: Yoga, durationMin: 60, price: 12.00, capacity: 3, staff: [leo] }
  - { key: gift, name: Gift, durationMin: 30, price: 10.00, bookable: false }
  - { key: gone, name: Gone, durationMin: 30, price: 10.00, status: ARCHIVED }
staff:
  - { key: mia, name: Mia, serviceOverrides: [{ service: cut, durationMin: 45, price: 50.00 }] }
  - { key: leo, name: Leo }
  - { key: sam, name: Sam, bookable: false }
`;

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

type Input = Record<string, unknown>;
const at = (time: string): string => `2026-12-01T${time}`;
const book = (rt: TestRuntime, input: Input) =>
  createBooking(rt, SLUG, { service: "cut", start: at("10:00"), ...input });

test("a booking lists its segments and price, and one event is written", () => {
  const rt = openSalon();
  const created: unknown[] = [];
  const events = recordEvents(rt, () =>
    created.push(
      book(rt, { variant: "long", addons: ["wash*2"], staff: "leo", customerRef: "Ana 7" }),
    ),
  );
  const id = expect.stringMatching(/^bkg_[0-9a-z]+$/);
  const addon = (quantity: number) => ({ addonId: expect.stringMatching(/^adn_/), quantity });
  const span = { startsAt: "2026-12-01T10:00:00-05:00", endsAt: "2026-12-01T11:20:00-05:00" };
  expect(created).toEqual([
    {
      id,
      status: "CONFIRMED",
      ...span,
      segments: [
        {
          serviceId: expect.stringMatching(/^svc_/),
          variantId: expect.stringMatching(/^svv_/),
          addons: [addon(2), addon(1)],
          staffId: expect.stringMatching(/^stf_/),
          ...span,
          priceCents: 7100,
          serviceName: "Cut",
          variantName: "Long",
          staffName: "Leo",
        },
      ],
      guests: 1,
      totalCents: 7100,
      currency: "USD",
      customerRef: "Ana 7",
      cancelUntil: span.startsAt,
      decideBy: null,
      cancelledBy: null,
      cancelReason: null,
      version: 1,
      createdAt: "2026-11-20T07:00:00-05:00",
      updatedAt: "2026-11-20T07:00:00-05:00",
    },
  ]);
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "booking.created",
      data: {
        resource: { type: "booking", id, ids: [id] },
        action: "created",
        changed: {
          status: true,
          schedule: true,
          staff: true,
          services: true,
          guests: true,
          price: true,
        },
        object: created[0],
      },
    },
  ]);
});

test.each([
  "2026-12-01T15:00Z",
  "2026-12-01T15:00:00Z",
  "2026-12-01T10:00-05:00",
  "2026-12-01 10:00",
  "2026-12-01T10:00:00.000",
])("a start can be written as %s", (start) => {
  expect(book(openSalon(), { start })).toMatchObject({ startsAt: "2026-12-01T10:00:00-05:00" });
});

test("a booking has the duration and price that its staff member has for the service", () => {
  const rt = openSalon();
  expect(book(rt, { staff: "mia" })).toMatchObject({
    endsAt: "2026-12-01T10:45:00-05:00",
    totalCents: 5100,
  });
});

test("an add-on that is named twice for one service is taken twice", () => {
  const rt = openSalon();
  const [once, twice] = [["wash*2"], ["wash", "wash"]].map((addons, i) =>
    book(rt, { addons, staff: "leo", start: at(i === 0 ? "10:00" : "13:00") }),
  );
  expect(twice).toMatchObject({
    totalCents: once!.totalCents,
    segments: [{ addons: (once!.segments[0] as { addons: unknown[] }).addons }],
  });
});

test("the price of a booking for several guests is multiplied by their number", () => {
  const rt = openSalon();
  expect(book(rt, { service: "yoga", guests: 2 })).toMatchObject({ guests: 2, totalCents: 2400 });
});

describe("a booking", () => {
  test.each<[name: string, booked: Input[], wanted: Input, isFree: boolean]>([
    ["blocks the same time", [{ staff: "leo" }], { staff: "leo" }, false],
    ["leaves other staff free", [{ staff: "leo" }], {}, true],
    ["of everyone leaves no one free", [{}, {}], {}, false],
    ["blocks its buffer", [{ staff: "leo" }], { staff: "leo", start: at("10:30") }, false],
    ["ends with its buffer", [{ staff: "leo" }], { staff: "leo", start: at("10:45") }, true],
    [
      "requires the buffer of the booking before it",
      [{ staff: "leo" }],
      { staff: "leo", start: at("09:30") },
      false,
    ],
    [
      "allows a booking whose buffer ends in time",
      [{ staff: "leo" }],
      { staff: "leo", start: at("09:15") },
      true,
    ],
    [
      "blocks its resource for another service",
      [{ service: "colour" }],
      { service: "peel" },
      false,
    ],
    [
      "releases its resource",
      [{ service: "colour" }],
      { service: "peel", start: at("11:00") },
      true,
    ],
    [
      "blocks its staff member for another service",
      [{ staff: "mia" }],
      { service: "colour" },
      false,
    ],
    [
      "can be joined in the same session",
      [{ service: "yoga", guests: 2 }],
      { service: "yoga" },
      true,
    ],
    [
      "cannot exceed the session's capacity",
      [{ service: "yoga", guests: 2 }],
      { service: "yoga", guests: 2 },
      false,
    ],
    [
      "blocks its staff member for a later session",
      [{ service: "yoga" }],
      { service: "yoga", start: at("10:30") },
      false,
    ],
  ])("a booking %s", (_name, booked, wanted, isFree) => {
    const rt = openSalon();
    for (const input of booked) book(rt, input);
    const events = recordEvents(rt, () =>
      expect(captureError(() => book(rt, wanted))).toMatch(
        isFree ? /^no error/ : /^slot_taken: '\w+' is not available at /,
      ),
    );
    expect(eventTypesOf(events)).toEqual(isFree ? ["booking.created"] : []);
  });
});

test.each<[input: Input, message: RegExp]>([
  [{ service: "gift" }, /^service_not_bookable: 'Gift' cannot be booked\.$/],
  [{ service: "gone" }, /^service_not_bookable: 'Gone' cannot be booked\.$/],
  [{ service: "cutt" }, /^resource_not_found: There is no service 'cutt'\. Did you mean 'cut'\?$/],
  [
    { service: "colour", variant: "long" },
    /^variant_service_mismatch: 'Long' is a variant of 'Cut', which is not among the services\.$/,
  ],
  [{ addons: ["tea"] }, /^addon_not_linked: 'Cut' is not offered with the add-on 'Tea'\.$/],
  [{ addons: ["towel*2"] }, /^validation_failed: 'Towel' can be added 1 time, not 2\.$/],
  [{ addons: ["wash*3"] }, /^validation_failed: 'Wash' can be added 1 to 2 times, not 3\.$/],
  [
    { service: "colour", staff: "leo" },
    /^staff_cannot_perform: 'Leo' does not perform 'Colour'\.$/,
  ],
  [{ variant: "mias", staff: "leo" }, /^staff_cannot_perform: 'Leo' does not perform 'Cut'\.$/],
  [{ staff: "sam" }, /^staff_cannot_perform: 'Sam' does not perform 'Cut'\.$/],
  [{ service: "yoga", guests: 4 }, /^party_too_large: 'Yoga' takes at most 3 guests, not 4\.$/],
  [{ start: "2026-11-20T06:45" }, /^slot_taken: 'cut' is not available at 2026-11-20T06:45: /],
  [
    { start: "2027-03-14T02:30" },
    /^invalid_date: .* does not exist in America\/New_York: clocks skip that time\.$/,
  ],
  [{ start: "2027-02-29T10:00" }, /^invalid_date: /],
  [{ start: "2026-12-01T24:30" }, /^invalid_date: /],
  [
    { start: "2026-12-01" },
    /^invalid_date: The start must be a date and time from 1900 to 2199 such as/,
  ],
  [{ start: "2026-12-01T10:00:30" }, /^invalid_date: The start must be a whole minute/],
  [{ start: undefined }, /^validation_failed: 'start' is missing; it must be one line/],
  [{ guests: 0 }, /^validation_failed: 'guests' must be a whole number from 1 to 10000, not 0\.$/],
  [
    { customerRef: "a\u0007b" },
    /^validation_failed: 'customerRef' must be one line of 1 to 200 characters without invisible characters, not 'a␇b'\.$/,
  ],
  [{ customerRef: "x".repeat(10_240) }, /^validation_failed: 'customerRef' must be one line/],
])("a booking with %j is rejected and writes no event", (input, message) => {
  const rt = openSalon();
  expect(
    recordEvents(rt, () => expect(captureError(() => book(rt, input))).toMatch(message)),
  ).toEqual([]);
});

describe("a visit of several services", () => {
  const visit = { service: ["colour", "cut"], addons: ["cut:wash"], staff: ["cut:leo"] };

  test("a visit of several services is one booking with a segment per service, in order", () => {
    const rt = openSalon();
    const created: ReturnType<typeof book>[] = [];
    const events = recordEvents(rt, () => created.push(book(rt, visit)));
    const [booking] = created;
    expect(booking).toMatchObject({
      startsAt: "2026-12-01T10:00:00-05:00",
      endsAt: "2026-12-01T11:40:00-05:00",
      segments: [
        {
          startsAt: "2026-12-01T10:00:00-05:00",
          endsAt: "2026-12-01T11:00:00-05:00",
          addons: [],
          priceCents: 8000,
        },
        {
          startsAt: "2026-12-01T11:00:00-05:00",
          endsAt: "2026-12-01T11:40:00-05:00",
          priceCents: 4600,
        },
      ],
      totalCents: 12_600,
    });
    expect(booking?.segments.map(({ addons }) => addons.length)).toEqual([0, 2]);
    expect(new Set(booking?.segments.map(({ staffId }) => staffId)).size).toBe(2);
    expect(eventTypesOf(events)).toEqual(["booking.created"]);
    const { id } = rt.store.businesses.findBySlug(SLUG)!;
    expect(getBooking(rt, id, booking!.id).segments).toHaveLength(2);
  });

  test("a visit of several services blocks and releases all of its time", () => {
    const rt = openSalon();
    const { id } = book(rt, visit);
    expect(captureError(() => book(rt, { service: "colour" }))).toMatch(/^slot_taken: /);
    expect(captureError(() => book(rt, { staff: "leo", start: at("11:15") }))).toMatch(
      /^slot_taken: /,
    );
    cancelBooking(rt, SLUG, id);
    expect(book(rt, visit)).toMatchObject({ status: "CONFIRMED" });
  });

  test.each<[Input, RegExp]>([
    [
      { start: at("09:30") },
      /^slot_taken: 'colour' and 'cut' are not available at 2026-12-01T09:30 with 'cut:leo': service 2: it is already booked\.$/,
    ],
    [
      { staff: ["cut:leo", "yoga:leo"] },
      /^staff_cannot_perform: 'Yoga' is not among the services\.$/,
    ],
    [
      { staff: ["leo", "mia"] },
      /^validation_failed: Name the service of each staff member, as in service:person\.$/,
    ],
    [{ service: ["cut", "cutt"] }, /^resource_not_found: There is no service 'cutt'\./],
    [
      { service: [] },
      /^validation_failed: 'service' must be a name, or a list of 1 to 8 names, not /,
    ],
    [{ service: null }, /^validation_failed: 'service' /],
    [
      { service: Array(9).fill("cut") },
      /^validation_failed: 'service' must be a name, or a list of 1 to 8 names, not /,
    ],
  ])("a visit of several services with %j is rejected and writes nothing", (input, message) => {
    const rt = openSalon();
    book(rt, { staff: "leo", start: at("10:30") });
    expect(
      recordEvents(rt, () =>
        expect(captureError(() => book(rt, { ...visit, ...input }))).toMatch(message),
      ),
    ).toEqual([]);
  });

  test("a variant can be booked without naming its service", () => {
    const rt = openSalon();
    const { segments } = book(rt, { service: undefined, variant: "mias" });
    expect(segments).toMatchObject([{ priceCents: 5100 }]);
  });
});

test("a start without an offset means the first of the two instants of a time that clocks show twice", () => {
  const rt = openSalon();
  expect(book(rt, { start: "2026-12-01T16:00+01:00" })).toMatchObject({
    startsAt: "2026-12-01T10:00:00-05:00",
  });
  expect(book(rt, { start: "2027-11-07T01:30" })).toMatchObject({
    startsAt: "2027-11-07T01:30:00-04:00",
  });
  expect(book(rt, { start: "2027-11-07T01:30-05:00" })).toMatchObject({
    startsAt: "2027-11-07T01:30:00-05:00",
  });
});

test("cancelling a booking frees its time, raises its version and sends an event", () => {
  const rt = openSalon();
  const { id, version } = book(rt, { staff: "leo" });
  const [event, ...others] = recordEvents(rt, () => cancelBooking(rt, SLUG, id));
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    type: "booking.cancelled",
    data: {
      resource: { type: "booking", id, ids: [id] },
      action: "cancelled",
      changed: {
        status: true,
        schedule: false,
        staff: false,
        services: false,
        guests: false,
        price: false,
      },
      object: { id, status: "CANCELLED", version: 2 },
    },
  });
  const { id: businessId } = getBusiness(rt, SLUG);
  expect([version, getBooking(rt, businessId, id).version]).toEqual([1, 2]);
  expect(book(rt, { staff: "leo" })).toMatchObject({ status: "CONFIRMED" });
  const cancelled = getBooking(rt, businessId, id);
  expect(recordEvents(rt, () => cancelBooking(rt, SLUG, id))).toEqual([]);
  expect(getBooking(rt, businessId, id)).toEqual(cancelled);
  expect(cancelled).toMatchObject({ cancelledBy: "BUSINESS", cancelReason: null });
});

test("the events of a booking name only public staff members", () => {
  const rt = openSalon();
  applyCatalogBody(rt, CATALOG.replace("name: Leo", "name: Leo, public: false"));
  const staffIdsOf = (act: () => PublicBooking) => {
    const returned: PublicBooking[] = [];
    const events = recordEvents(rt, () => returned.push(act()));
    const objects = [...returned, ...events.map(({ data }) => data.object as PublicBooking)];
    return objects.map(({ segments }) => segments.map(({ staffId }) => staffId));
  };
  let id = "";
  const create = () => {
    const booking = book(rt, { service: ["cut", "peel"], staff: ["cut:mia", "peel:leo"] });
    id = booking.id;
    return booking;
  };
  const [mia, leo] = ["mia", "leo"].map((key) =>
    objectId("staff", SLUG, { key, previousKeys: [] }),
  );
  expect(staffIdsOf(create)).toEqual([
    [mia, leo],
    [mia, null],
  ]);
  expect(staffIdsOf(() => cancelBooking(rt, SLUG, id))).toEqual([
    [mia, leo],
    [mia, null],
  ]);
});

test("time off from the file or the command line blocks bookings", () => {
  const rt = openSalon();
  applyCatalogBody(
    rt,
    CATALOG.replace("name: Leo", "name: Leo, timeOff: [{ from: 2026-12-01, to: 2026-12-01 }]"),
  );
  createTimeOff(rt, SLUG, { staff: "mia", from: at("10:15"), to: at("12:00"), reason: null });
  expect(captureError(() => book(rt, {}))).toMatch(/^slot_taken: /);
  expect(book(rt, { start: at("12:00") })).toMatchObject({ startsAt: "2026-12-01T12:00:00-05:00" });
  expect(captureError(() => book(rt, { staff: "leo", start: at("15:00") }))).toMatch(
    /^slot_taken: /,
  );
});

test("a booking blocks its time after its staff member is renamed, and stays after the person is deleted", () => {
  const rt = openSalon();
  const created = book(rt, { staff: "leo" });
  applyCatalogBody(
    rt,
    CATALOG.replace(
      "{ key: leo, name: Leo }",
      "{ key: leonard, previousKeys: [leo], name: Leonard }",
    ).replaceAll(/staff: \[leo(, mia)?\]/g, "staff: [leonard$1]"),
    { prune: true },
  );
  expect(captureError(() => book(rt, { staff: "leonard" }))).toMatch(/^slot_taken: /);
  const { id: businessId } = rt.store.businesses.findBySlug(SLUG)!;
  const before = getBooking(rt, businessId, created.id);
  const deleteAll = () =>
    applyCatalogBody(rt, "services: []\nstaff: []\n", { prune: true, allowMassDelete: true });
  expect(captureError(deleteAll)).toContain(created.id.slice(-6));
  rt.advance(before.endsAt - rt.now());
  deleteAll();
  expect(getBooking(rt, businessId, created.id)).toEqual(before);
  expect(rt.store.bookings.list({ businessId }, 10)).toEqual([before]);
});

test("an update or a move that changes nothing writes no event and no new version", () => {
  const rt = openSalon();
  const business = getBusiness(rt, SLUG);
  const { id, version } = book(rt, { customerRef: "web-1", customer: { name: "Ana" } });
  const update = (fields: VisitUpdate) =>
    updateVisit(rt, BOOKING, business, getBooking(rt, business.id, id), fields);
  const customer = (name: string) => ({ name, email: null, phone: null, notes: null });
  const events = recordEvents(rt, () => {
    rescheduleBooking(rt, SLUG, id, { start: at("10:00") });
    rt.tx(() => update({}));
    rt.tx(() => update({ customerRef: "web-1", customer: customer("Ana") }));
  });
  expect(eventTypesOf(events)).toEqual([]);
  expect(getBooking(rt, business.id, id).version).toBe(version);
  rt.tx(() => update({ customer: customer("Bea") }));
  rescheduleBooking(rt, SLUG, id, { start: at("11:00") });
  expect(getBooking(rt, business.id, id).version).toBe(version + 2);
});

test("a reservation that is not approved in time is cancelled, and a new reservation gets its table", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const business = getBusiness(rt, SHOP_SLUG);
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "website",
    kind: "RESTRICTED",
    scopes: ["bookings.write"],
  });
  const access = { ...accessOf(key), needsApproval: true };
  const request = { partySize: 4, areaId: null };
  const guest = { customerRef: null, customer: null };
  const startsAt = Date.parse("2026-11-23T10:00:00Z");
  const reserve = () =>
    rt.tx(() => reserveTable(rt, business, access, { request, startsAt, refusal: "taken", guest }));
  const undecided = reserve();
  expect(undecided.status).toBe("PENDING");
  rt.advance(DAY_MS - 1);
  expect(captureError(reserve)).toMatch(/^slot_taken: /);
  rt.advance(1);
  expect(reserve()).toMatchObject({ status: "PENDING", tableId: undecided.tableId });
  expect(rt.store.reservations.findById(business.id, undecided.id)).toMatchObject({
    status: "CANCELLED",
    cancelReason: "EXPIRED",
  });
});
