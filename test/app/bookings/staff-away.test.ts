import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { listDay } from "../../../src/app/bookings/day-sheet.ts";
import { type Away, markAway, reassignVisits } from "../../../src/app/bookings/staff-away.ts";
import { changeBooking } from "../../../src/app/bookings/operator-changes.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { updateStaffMember } from "../../../src/app/catalog/staff.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody, captureError, recordEvents } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const DAY = "2026-12-01";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo, zoe] }
  - { key: dye, name: Dye, durationMin: 60, price: 90.00, staff: [mia, leo] }
  - { key: perm, name: Perm, durationMin: 60, price: 70.00, staff: [mia] }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }, { key: zoe, name: Zoe }]
`;

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

const book = (rt: TestRuntime, service: string, time: string, staff = "mia") =>
  createBooking(rt, SLUG, { service, start: `${DAY}T${time}`, staff });

const markMia = (rt: TestRuntime, changes = {}): Away =>
  markAway(rt, SLUG, { staff: "mia", from: DAY, to: DAY, reason: null, ...changes });

const businessOf = (rt: TestRuntime) => rt.store.businesses.findBySlug(SLUG)!;
const staffNamesOf = (rt: TestRuntime, id: string) =>
  rt.store.bookings.findById(businessOf(rt).id, id)?.segments.map(({ staffName }) => staffName);

test("each visit of an absent staff member is listed with the free colleagues who perform its service", () => {
  const rt = openSalon();
  const cut = book(rt, "cut", "10:00");
  book(rt, "cut", "10:00", "zoe");
  const dye = book(rt, "dye", "12:00");
  const perm = book(rt, "perm", "14:00");
  createBooking(rt, SLUG, { service: "cut", start: "2026-12-02T10:00", staff: "mia" });
  expect(markMia(rt).visits).toMatchObject([
    { id: cut.id, service: "Cut", staff: "Mia", couldTake: ["Leo"] },
    { id: dye.id, couldTake: ["Leo"] },
    { id: perm.id, couldTake: [] },
  ]);
});

test("a visit that is moved to a colleague keeps its time and price", () => {
  const rt = openSalon();
  const { id } = book(rt, "cut", "10:00");
  applyCatalogBody(rt, CATALOG.replace("40.00", "60.00"));
  const away = markMia(rt);
  const events = recordEvents(rt, () => reassignVisits(rt, SLUG, away));
  expect(events).toMatchObject([
    {
      type: "booking.updated",
      data: {
        changed: { staff: true, schedule: false, price: false, status: false },
        object: { id, totalCents: 4000, startsAt: expect.stringContaining(`${DAY}T10:00`) },
      },
    },
  ]);
  expect(staffNamesOf(rt, id)).not.toEqual(["Mia"]);
});

test("a visit that no colleague can take stays, and the other visits are moved to colleagues", () => {
  const rt = openSalon();
  const perm = book(rt, "perm", "10:00");
  const dye = book(rt, "dye", "12:00");
  const away = markMia(rt);
  expect([...reassignVisits(rt, SLUG, away)]).toEqual([[dye.id, ["Leo"]]]);
  expect(staffNamesOf(rt, perm.id)).toEqual(["Mia"]);
  expect(listDay(rt, businessOf(rt), DAY)).toMatchObject([
    { id: perm.id, isStaffAway: true },
    { id: dye.id, isStaffAway: false },
  ]);
});

test("a visit can be moved to a colleague who is no longer public", () => {
  const rt = openSalon();
  const { id } = book(rt, "cut", "10:00");
  updateStaffMember(rt, SLUG, "leo", (doc) => ({ ...doc, public: false }), {
    add: [],
    remove: [],
  });
  book(rt, "cut", "10:00", "zoe");
  expect([...reassignVisits(rt, SLUG, markMia(rt))]).toEqual([[id, ["Leo"]]]);
});

test("marking a person away again adds no second time off, and lists the visits that no colleague has taken", () => {
  const rt = openSalon();
  book(rt, "cut", "10:00");
  const perm = book(rt, "perm", "12:00");
  const first = markMia(rt);
  reassignVisits(rt, SLUG, first);
  const events = recordEvents(rt, () => {
    const second = markMia(rt, { from: `${DAY}T00:00`, to: "2026-12-02T00:00" });
    expect(second.timeOff).toEqual(first.timeOff);
    expect(second.visits).toMatchObject([{ id: perm.id }]);
  });
  expect(events).toEqual([]);
});

test("a visit that has already started today can be moved to a colleague", () => {
  const rt = openSalon();
  const { id } = book(rt, "dye", "10:00");
  rt.advance(Date.parse(`${DAY}T15:30:00Z`) - rt.now());
  const away = markMia(rt, { from: `${DAY}T10:30` });
  expect([...reassignVisits(rt, SLUG, away)]).toEqual([[id, ["Leo"]]]);
});

test("visits that are over, completed or marked as a no-show are neither listed nor moved", () => {
  const rt = openSalon();
  const over = book(rt, "cut", "10:00");
  const completed = book(rt, "dye", "12:00");
  const noShow = book(rt, "cut", "13:00");
  const later = book(rt, "cut", "15:00");
  rt.advance(Date.parse(`${DAY}T18:05:00Z`) - rt.now());
  changeBooking(rt, SLUG, completed.id, "complete");
  changeBooking(rt, SLUG, noShow.id, "noShow");
  const away = markMia(rt);
  expect(away.visits).toMatchObject([{ id: later.id }]);
  expect([...reassignVisits(rt, SLUG, away).keys()]).toEqual([later.id]);
  expect(staffNamesOf(rt, over.id)).toEqual(["Mia"]);
});

test("new time off that begins in the past lists no visits that are already over", () => {
  const rt = openSalon();
  book(rt, "cut", "10:00");
  const later = book(rt, "cut", "15:00");
  rt.advance(Date.parse(`${DAY}T18:05:00Z`) - rt.now());
  const { booked } = createTimeOff(rt, SLUG, { staff: "mia", from: DAY, to: DAY, reason: null });
  expect(booked).toEqual([later.id]);
});

test("an unknown staff member cannot be marked as away", () => {
  expect(captureError(() => markMia(openSalon(), { staff: "nobody" }))).toMatch(
    /^resource_not_found: There is no staff member 'nobody'/,
  );
});

const CLASSES = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
resources: [{ key: room, name: Room, capacity: 1 }]
services:
  - { key: yoga, name: Yoga, durationMin: 60, price: 20.00, capacity: 4, resources: [{ resource: room, units: 1 }], staff: [mia, leo, zoe] }
  - { key: run, name: Run, durationMin: 60, price: 20.00, capacity: 4, staff: [mia, leo] }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }, { key: zoe, name: Zoe }]
`;

function openStudio(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CLASSES);
  return rt;
}

test("a colleague takes all guests of a class that needs the only room", () => {
  const rt = openStudio();
  const ids = [1, 2, 1].map(
    (guests) =>
      createBooking(rt, SLUG, { service: "yoga", start: `${DAY}T10:00`, staff: "mia", guests }).id,
  );
  const away = markMia(rt);
  expect(away.visits).toMatchObject(ids.map((id) => ({ id, couldTake: ["Leo", "Zoe"] })));
  expect([...reassignVisits(rt, SLUG, away)].toSorted()).toEqual(
    ids.map((id) => [id, ["Leo"]]).toSorted(),
  );
  for (const id of ids) expect(staffNamesOf(rt, id)).toEqual(["Leo"]);
  // The guests of Leo's session have taken its four places.
  expect(captureError(() => book(rt, "yoga", "10:00", "leo"))).toContain("slot_taken");
});

test("a class stays with the absent person if no colleague has time for it", () => {
  const rt = openStudio();
  const ids = [1, 2].map(() => book(rt, "yoga", "10:00").id);
  book(rt, "run", "10:30", "leo");
  createTimeOff(rt, SLUG, { staff: "zoe", from: DAY, to: DAY, reason: null });
  const away = markMia(rt);
  expect(away.visits).toMatchObject(ids.map((id) => ({ id, couldTake: [] })));
  expect(reassignVisits(rt, SLUG, away).size).toBe(0);
  for (const id of ids) expect(staffNamesOf(rt, id)).toEqual(["Mia"]);
});
