import { describe, expect, test } from "vitest";
import { createBooking, createReservation } from "../../../../src/app/bookings/bookings.ts";
import { changeBooking, changeReservation } from "../../../../src/app/bookings/operator-changes.ts";
import { loadCancelAffected } from "../../../../src/app/catalog/changes/affected-visits.ts";
import { applyCatalog, type ApplyOptions } from "../../../../src/app/catalog/catalog.ts";
import { updateStaffMember } from "../../../../src/app/catalog/staff.ts";
import { noVisits } from "../../../../src/domain/bookings/affected-visits.ts";
import { CATALOG_HEADER } from "../../../support/catalog-file.ts";
import { dryRun } from "../../../support/dry-run.ts";
import { subscribe } from "../../../support/delivery.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { captureError, eventTypesOf, recordEvents } from "../../../support/use-case.ts";

const SLUG = "salon-aurora";
const HOURS =
  'hours: [{ days: [mon, tue, wed, thu, fri, sat, sun], start: "09:00", end: "17:00" }]';
const CUT = "{ key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia] }";
const SPA = `{ key: spa, name: Spa, durationMin: 30, price: 60.00, staff: [mia],
  variants: [{ key: long, name: Long, price: 80.00 }] }`;
const GALA = `{ key: gala, name: Gala, slug: gala, startsAt: 2026-12-01T19:00, durationMin: 180,
  status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }] }`;
const FILE = `${HOURS}
staff: [{ key: mia, name: Mia }]
services: [${CUT}, ${SPA}]
tables: [{ key: two, maxSeats: 2 }]
events: [${GALA}]
`;

const apply = (rt: TestRuntime, body: string, options: ApplyOptions = {}) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }], {
    allowMassDelete: true,
    ...options,
  });

/**
 * Opens a business with a booking of the service `cut`, a booking of the long service `spa`, and a
 * reservation.
 */
function openBooked() {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const start = "2026-12-01T10:00";
  const cut = createBooking(rt, SLUG, { service: "cut", start });
  const spa = createBooking(rt, SLUG, {
    service: "spa",
    variant: "long",
    start: "2026-12-01T11:00",
  });
  const table = createReservation(rt, SLUG, { party: 2, start });
  return { rt, cut, spa, table };
}

type Booked = ReturnType<typeof openBooked>;

describe("a change that deletes what is booked", () => {
  test.each<[string, string, (booked: Booked) => string[]]>([
    ["a service", `services: [${SPA}]`, ({ cut }) => [cut.id]],
    [
      "a variant",
      FILE.replace("variants: [{ key: long, name: Long, price: 80.00 }]", "variants: []"),
      ({ spa }) => [spa.id],
    ],
    ["a table", "tables: []", ({ table }) => [table.id]],
  ])("a change that deletes %s is refused with an error about its visits", (_what, body, idsOf) => {
    const booked = openBooked();
    const { rt } = booked;
    const ids = idsOf(booked);
    const planned = dryRun(rt, () => apply(rt, body, { prune: true }));
    expect(Object.values(planned.affected).flat()).toEqual(ids);
    const refused = captureError(() => apply(rt, body, { prune: true }));
    expect(refused).toContain(
      `state_refuses: This would delete objects of the catalog that are booked: 1 ${
        ids[0]?.startsWith("rsv_") ? "future reservation" : "future booking"
      }: 2026-12-01 `,
    );
    const [visit] = planned.deletedVisits;
    expect(visit?.id).toBe(ids[0]);
    expect(refused).toContain(` · ${visit?.shortId}. Nothing was changed.`);
  });

  test("with --cancel-affected, a change that deletes booked objects cancels their visits and notifies partners", async () => {
    const { rt, cut, spa, table } = openBooked();
    const cancelAffected = await loadCancelAffected();
    const body = "services: []\ntables: []";
    const change = () => apply(rt, body, { prune: true, cancelAffected });
    const business = rt.store.businesses.findBySlug(SLUG)!;
    await subscribe(rt, business, "http://10.0.0.1/", ["booking.cancelled", "service.deleted"]);
    const planned = dryRun(rt, change);
    let result = planned;
    const events = recordEvents(rt, () => (result = change()));
    expect(eventTypesOf(events)).toEqual(expect.arrayContaining(["reservation.cancelled"]));
    for (const { events: reported, webhooks, deliveries } of [planned, result]) {
      expect(reported).toEqual(
        events.map(({ type, data }) => ({ type, resourceId: data.resource.id })),
      );
      expect(webhooks.slice(0, 2)).toEqual([
        { type: "booking.cancelled", events: 2, deliveries: 2 },
        { type: "reservation.cancelled", events: 1, deliveries: 0 },
      ]);
      expect(deliveries).toBe(4);
    }
    expect(rt.store.deliveries.list({}, 10)).toHaveLength(4);
    const { bookings, reservations, businesses } = rt.store;
    const id = businesses.findBySlug(SLUG)?.id ?? "";
    expect([
      bookings.findById(id, cut.id)?.status,
      bookings.findById(id, spa.id)?.status,
      reservations.findById(id, table.id)?.status,
    ]).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
  });

  test("deactivating booked objects cancels no visits, but lists the visits to objects that are no longer offered", () => {
    const { rt, cut } = openBooked();
    const body = FILE.replace("name: Cut,", "name: Cut, status: INACTIVE,").replace(
      "status: PUBLISHED",
      "status: CANCELLED",
    );
    const { affected, withdrawn } = apply(rt, body, { prune: true });
    expect([affected, withdrawn]).toEqual([noVisits(), [cut.id]]);
  });

  test.each<[string, string, (booked: Booked) => string]>([
    [
      "area of a table",
      "areas: [{ key: garden, name: Garden, status: INACTIVE }]",
      ({ table }) => table.id,
    ],
    [
      "resource of a service",
      "resources: [{ key: room, name: Room, capacity: 1, status: INACTIVE }]",
      ({ cut }) => cut.id,
    ],
  ])("a change that only deactivates the %s names its visits once", (_what, body, idOf) => {
    const booked = openBooked();
    const { rt } = booked;
    const placed = FILE.replace("{ key: two,", "{ key: two, area: garden,").replace(
      "durationMin: 30, price: 35.00,",
      "durationMin: 30, price: 35.00, resources: [room],",
    );
    const active =
      "areas: [{ key: garden, name: Garden }]\nresources: [{ key: room, name: Room, capacity: 1 }]";
    expect(apply(rt, `${placed}${active}`).withdrawn).toEqual([]);
    const { affected, withdrawn, keptVisits } = apply(rt, body);
    expect([affected, withdrawn]).toEqual([noVisits(), [idOf(booked)]]);
    expect(keptVisits.map(({ id }) => id)).toEqual([idOf(booked)]);
    expect(
      apply(rt, `${body.replace(/, status: INACTIVE/, ", status: ARCHIVED")}`).withdrawn,
    ).toEqual([]);
  });

  test("visits completed or marked as a no-show before their end do not prevent the deletion of their objects", async () => {
    const { rt, cut, spa, table } = openBooked();
    rt.advance(Date.parse("2026-12-01T15:05:00Z") - rt.now());
    changeBooking(rt, SLUG, cut.id, "noShow");
    changeReservation(rt, SLUG, table.id, "complete");
    const body = "services: []\ntables: []\nevents: []";
    const planned = dryRun(rt, () => apply(rt, body, { prune: true }));
    expect(planned.affected).toMatchObject({ bookings: [spa.id], reservations: [] });
    apply(rt, body, { prune: true, cancelAffected: await loadCancelAffected() });
    const { bookings, reservations, businesses } = rt.store;
    const id = businesses.findBySlug(SLUG)?.id ?? "";
    expect([
      bookings.findById(id, cut.id)?.status,
      bookings.findById(id, spa.id)?.status,
      reservations.findById(id, table.id)?.status,
    ]).toEqual(["NO_SHOW", "CANCELLED", "COMPLETED"]);
    // `doctor` reports visits whose objects were deleted, but not if the visits are over or
    // cancelled.
    for (const visits of [bookings, reservations])
      expect(visits.listOrphaned(id, rt.now())).toEqual([]);
  });

  test("a change that deletes booked objects is allowed after the visits are over", () => {
    const { rt } = openBooked();
    rt.advance(30 * 86_400_000);
    expect(apply(rt, "services: []\ntables: []\nevents: []", { prune: true }).version).toBe(3);
  });
});

describe("a person who no longer performs a service", () => {
  const TWO = FILE.replace(
    "{ key: mia, name: Mia }",
    "{ key: mia, name: Mia }, { key: ben, name: Ben }",
  ).replaceAll("staff: [mia]", "staff: [mia, ben]");

  function openTwo() {
    const rt = createTestRuntime();
    apply(rt, TWO);
    const start = "2026-12-01T10:00";
    const mine = createBooking(rt, SLUG, { service: "cut", staff: "mia", start });
    createBooking(rt, SLUG, { service: "cut", staff: "ben", start });
    const later = "2026-12-01T11:00";
    const long = createBooking(rt, SLUG, {
      service: "spa",
      variant: "long",
      staff: "mia",
      start: later,
    });
    return { rt, mine, long };
  }
  const unlink = (rt: TestRuntime, key: string) =>
    updateStaffMember(rt, SLUG, "mia", (doc) => doc, { add: [], remove: [key] });

  test("a change that takes a service from a person names only the visits to that person for that service", () => {
    const { rt, mine } = openTwo();
    const { withdrawn, keptVisits } = dryRun(rt, () => unlink(rt, "cut"));
    expect([withdrawn, keptVisits.map(({ id }) => id)]).toEqual([[mine.id], [mine.id]]);
  });

  test("taking a service from a person also lists the person's visits for variants without a staff list of their own", () => {
    const { rt, long } = openTwo();
    expect(unlink(rt, "spa").withdrawn).toEqual([long.id]);
  });

  test("renaming a person lists no visits as withdrawn, and taking a service from the person lists the visits for it", () => {
    const { rt, mine } = openTwo();
    const renamed = TWO.replaceAll("mia, ben", "maria, ben").replace(
      "key: mia,",
      "key: maria, previousKeys: [mia],",
    );
    expect(apply(rt, renamed).withdrawn).toEqual([]);
    const cutOfBen = renamed.replace(
      "price: 35.00, staff: [maria, ben]",
      "price: 35.00, staff: [ben]",
    );
    expect(apply(rt, cutOfBen).withdrawn).toEqual([mine.id]);
  });
});
