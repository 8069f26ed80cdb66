import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { createStaffMember, deleteStaffMember } from "../../../src/app/catalog/staff.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import {
  createTimeOff,
  deleteTimeOff,
  type TimeOffRequest,
} from "../../../src/app/bookings/time-off.ts";
import { applyCatalogBody, recordEvents, captureError } from "../../support/use-case.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "08:00", end: "22:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia] }]
staff: [{ key: mia, name: Mia }]
`;

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

const timeOff = (changes: Partial<TimeOffRequest> = {}): TimeOffRequest => ({
  staff: "mia",
  from: "2026-12-01",
  to: "2026-12-02",
  reason: null,
  ...changes,
});

const rowsOf = (rt: TestRuntime) =>
  rt.store.timeOff.listEndingAfter(rt.store.businesses.findBySlug(SLUG)!.id, rt.now());

test("adding or deleting time off writes an availability event without the reason", () => {
  const rt = openSalon();
  const ids: string[] = [];
  const added = recordEvents(rt, () =>
    ids.push(createTimeOff(rt, SLUG, timeOff({ reason: "a hip operation" })).id),
  );
  const removed = recordEvents(rt, () => deleteTimeOff(rt, SLUG, ids[0]!));
  for (const [index, events] of [added, removed].entries()) {
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: "catalog.changed",
      data: {
        changed: { availability: true, services: false, staff: false },
        object: {
          catalogVersion: 2 + index,
          previousVersion: 1 + index,
          routes: ["availability"],
        },
      },
    });
  }
  expect(JSON.stringify(added)).not.toContain("hip");
  const audited = rt.store.audit.list({}, 2);
  expect(audited).toMatchObject([
    { action: "time_off.deleted", subjectId: ids[0], subjectName: "Mia" },
    { action: "time_off.created", subjectId: ids[0], subjectName: "Mia" },
  ]);
  expect(JSON.stringify(audited)).not.toContain("hip");
  expect(rowsOf(rt)).toEqual([]);
});

test.each<[from: string, to: string, starts: string, ends: string]>([
  ["2026-12-01", "2026-12-02", "2026-12-01T05:00:00Z", "2026-12-03T05:00:00Z"],
  ["2026-12-01T13:00", "2026-12-01T15:30", "2026-12-01T18:00:00Z", "2026-12-01T20:30:00Z"],
  ["2026-12-01T13:00+01:00", "2026-12-01", "2026-12-01T12:00:00Z", "2026-12-02T05:00:00Z"],
])("time off from %s to %s lasts from %s until %s", (from, to, starts, ends) => {
  const rt = openSalon();
  expect(createTimeOff(rt, SLUG, timeOff({ from, to }))).toMatchObject({
    startsAt: Date.parse(starts),
    endsAt: Date.parse(ends),
  });
});

test.each<[changes: Partial<TimeOffRequest>, message: RegExp]>([
  [{ staff: "mio" }, /^resource_not_found: There is no staff member 'mio'\. Did you mean 'mia'\?$/],
  [{ to: "2026-11-30" }, /^invalid_date: 'to' '2026-11-30' is not after 'from' '2026-12-01'\.$/],
  [{ from: "2026-02-29" }, /^invalid_date: 'from' must be a date from 1900 to 2199 such as/],
  [{ reason: "a\nb" }, /^validation_failed: The reason must be one line of 1 to 200 characters\.$/],
  [{ reason: "x".repeat(201) }, /^validation_failed: /],
])("time off with %j is rejected and writes no event", (changes, message) => {
  const rt = openSalon();
  expect(
    recordEvents(rt, () =>
      expect(captureError(() => createTimeOff(rt, SLUG, timeOff(changes)))).toMatch(message),
    ),
  ).toEqual([]);
  expect(rowsOf(rt)).toEqual([]);
});

test("applying a file keeps time off that was added from the command line", () => {
  const rt = openSalon();
  createTimeOff(rt, SLUG, timeOff());
  const rows = rowsOf(rt);
  applyCatalogBody(rt, CATALOG.replace("40.00", "41.00"), { prune: true });
  expect(rowsOf(rt)).toEqual(rows);
});

test("adding time off keeps existing bookings, and lists those that overlap it", () => {
  const rt = openSalon();
  createBooking(rt, SLUG, { service: "cut", start: "2026-12-01T10:00" });
  createBooking(rt, SLUG, { service: "cut", start: "2026-12-03T10:00" });
  expect(createTimeOff(rt, SLUG, timeOff())).toMatchObject({
    booked: [expect.stringMatching(/^bkg_/)],
  });
});

test("deleting unknown time off fails", () => {
  const rt = openSalon();
  expect(
    recordEvents(rt, () =>
      expect(captureError(() => deleteTimeOff(rt, SLUG, "tof_none"))).toMatch(
        /^resource_not_found: /,
      ),
    ),
  ).toEqual([]);
});

test("time off is deleted with its reason 90 days after its end", async () => {
  const rt = openSalon();
  createTimeOff(rt, SLUG, timeOff({ reason: "migraine" }));
  const { id } = rt.store.businesses.findBySlug(SLUG)!;
  const countAll = () => rt.store.timeOff.listEndingAfter(id, 0).length;
  const prune = createPruner(rt);
  rt.advance(Date.parse("2027-03-02T00:00:00Z") - rt.now());
  await prune();
  expect(countAll()).toBe(1);
  rt.advance(2 * 86_400_000);
  await prune();
  expect(countAll()).toBe(0);
});

const WITH_TOM = CATALOG.replace("staff: [{", "staff: [{ key: tom, name: Tom }, {");
/** The two ways to delete and to create a person: a command and a catalog file. */
const deleteTom = {
  command: (rt: TestRuntime) => deleteStaffMember(rt, SLUG, "tom", {}),
  file: (rt: TestRuntime) => applyCatalogBody(rt, CATALOG, { prune: true, confirmed: true }),
};
const createTom = {
  command: (rt: TestRuntime) => createStaffMember(rt, SLUG, { key: "tom", name: "Tom" }, []),
  file: (rt: TestRuntime) => applyCatalogBody(rt, WITH_TOM),
};

test.for([
  ["command", "command"],
  ["command", "file"],
  ["file", "command"],
  ["file", "file"],
] as const)(
  "a person deleted by %s loses the reasons of the time off, and a new one created by %s with the same key all of it",
  ([deletedBy, createdBy]) => {
    const rt = openSalon();
    const leave = (staff: string) => createTimeOff(rt, SLUG, timeOff({ staff, reason: "flu" }));
    createTom[createdBy](rt);
    const [ofMia, ofTom] = [leave("mia"), leave("tom")];
    deleteTom[deletedBy](rt);
    expect(rowsOf(rt)).toMatchObject([
      { id: ofMia.id, reason: "flu" },
      { id: ofTom.id, startsAt: ofTom.startsAt, endsAt: ofTom.endsAt, reason: null },
    ]);
    createTom[createdBy](rt);
    expect(rowsOf(rt)).toMatchObject([{ id: ofMia.id, reason: "flu" }]);
  },
);
