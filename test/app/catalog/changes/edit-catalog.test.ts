import { expect, test } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { getBooking } from "../../../../src/app/bookings/operator-changes.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { loadCancelAffected } from "../../../../src/app/catalog/changes/affected-visits.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { readStoredCatalog, writeCatalogText } from "../../../../src/app/catalog/export-catalog.ts";
import { getStoredObject } from "../../../../src/app/catalog/objects.ts";
import {
  endPromotion,
  pausePromotion,
  resumePromotion,
} from "../../../../src/app/catalog/promotions.ts";
import {
  cancelPublicEvent,
  postponePublicEvent,
} from "../../../../src/app/catalog/public-events.ts";
import { createClosure, deleteClosure, updateHours } from "../../../../src/app/catalog/schedule.ts";
import { createService } from "../../../../src/app/catalog/changes/edit-catalog.ts";
import {
  createStaffMember,
  deleteStaffMember,
  updateStaffMember,
} from "../../../../src/app/catalog/staff.ts";
import type { DocOf, Kind } from "../../../../src/domain/catalog/catalog.ts";
import type { Envelope } from "../../../../src/domain/events/envelope.ts";
import { dryRun } from "../../../support/dry-run.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { applyCatalogBody, captureError, recordEvents } from "../../../support/use-case.ts";

const SLUG = "salon-aurora";
const FILE = `
hours: [{ days: mon-sun, start: "09:00", end: "17:00" }]
closures: [{ yearly: 01-01, name: New Year }]
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }, { key: ina, name: Ina, bookable: false }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia, leo],
      variants: [{ key: by-leo, name: By Leo, staff: [leo] }] }
  - { key: dye, name: Dye, durationMin: 60, price: 60.00, staff: [mia] }
promotions:
  - { key: tenth, name: Tenth, benefit: { type: percent_off, percent: 10 } }
  - { key: later, name: Later, benefit: { type: percent_off, percent: 10 },
      schedule: { startsAt: 2026-12-24T10:00 } }
events:
  - { key: gala, name: Gala, startsAt: 2026-12-01T19:00, durationMin: 180, doorsAt: "18:00",
      ticketTypes: [{ key: seat, name: Seat, price: 25.00, salesEnd: 2026-12-01T18:00 }] }
  - { key: draft, name: Draft, status: draft, startsAt: 2026-12-01T19:00, durationMin: 60 }
`;

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, FILE);
  return rt;
}

const find = <K extends Kind>(rt: TestRuntime, kind: K, key: string): DocOf[K] =>
  getStoredObject(rt, getBusiness(rt, SLUG), kind, key);

const ADDED = { key: "nia", name: "Nia", title: "Stylist" };

/** The edits that commands make, with the events that each causes before catalog.changed. */
const EDITS: [string, (rt: TestRuntime) => unknown, string[]][] = [
  [
    "a new staff member who performs a service",
    (rt) => createStaffMember(rt, SLUG, ADDED, ["cut"]),
    ["service.updated", "staff.created"],
  ],
  [
    "a staff member's title and services",
    (rt) =>
      updateStaffMember(rt, SLUG, "leo", (doc) => ({ ...doc, title: "Boss" }), {
        add: ["dye"],
        remove: [],
      }),
    ["service.updated", "staff.updated"],
  ],
  [
    "a service that everyone performs",
    (rt) =>
      createService(
        rt,
        SLUG,
        { key: "wax", name: "Wax", durationMin: 20, price: "9.00" },
        "everyone",
      ),
    ["service.created", "staff.updated", "staff.updated"],
  ],
  ["a paused promotion", (rt) => pausePromotion(rt, SLUG, "tenth"), ["promotion.deleted"]],
  ["an ended promotion", (rt) => endPromotion(rt, SLUG, "tenth"), ["promotion.updated"]],
  ["a cancelled event", (rt) => cancelPublicEvent(rt, SLUG, "gala"), ["event.updated"]],
  [
    "an event postponed to another day",
    (rt) => postponePublicEvent(rt, SLUG, "gala", Date.parse("2027-02-01T19:00:00Z")),
    ["event.updated"],
  ],
  ["other opening hours", (rt) => updateHours(rt, SLUG, ["sat-sun"], []), []],
  [
    "a closure",
    (rt) => createClosure(rt, SLUG, { from: "2026-12-24", to: "2026-12-26", name: "Holidays" }),
    [],
  ],
  ["no closure", (rt) => deleteClosure(rt, SLUG, "01-01"), []],
];

test.each(EDITS)(
  "partners are notified of %s, and an export contains the change",
  (_name, edit, expected) => {
    const rt = openSalon();
    const events = recordEvents(rt, () => edit(rt));
    expect(events.map(({ type }) => type)).toEqual([...expected, "catalog.changed"]);
    const { content } = writeCatalogText(readStoredCatalog(rt, getBusiness(rt, SLUG)), "yaml");
    const applied = applyCatalog(rt, [{ name: "export.yaml", text: content }], { prune: true });
    expect(applied).toMatchObject({ changes: [], businessFields: [] });
  },
);

test("the plan of a file lists the local edits of hours and closures that the file would undo", () => {
  const rt = openSalon();
  const overwritten = (body: string) => {
    const { overwrittenSections } = dryRun(rt, () => applyCatalogBody(rt, body));
    return overwrittenSections;
  };
  updateHours(rt, SLUG, ["sat-sun"], []);
  createClosure(rt, SLUG, { date: "2026-12-24" });
  expect(overwritten(FILE)).toEqual(["hours", "closures"]);
  expect(overwritten("staff: [{ key: mia, name: Mia }]")).toEqual([]);
  expect(captureError(() => applyCatalogBody(rt, FILE))).toMatch(
    /^state_refuses: .*undo 2 local edits \(hours, closures\)/,
  );
  // The hours are edited back to those of the file.
  updateHours(rt, SLUG, ["sat-sun"], [{ start: "09:00", end: "17:00" }]);
  expect(overwritten(FILE)).toEqual(["closures"]);
  // A file that contains the edits is applied, so they are no longer local edits.
  const file = writeCatalogText(readStoredCatalog(rt, getBusiness(rt, SLUG)), "yaml").content;
  applyCatalog(rt, [{ name: "export.yaml", text: file }]);
  expect(overwritten(FILE)).toEqual([]);
});

test("deleting a staff member removes the person from services, and is refused while the person is booked", async () => {
  const rt = openSalon();
  const unlinked = { add: [], remove: ["cut"] };
  expect(captureError(() => deleteStaffMember(rt, SLUG, "mia", {}))).toBe(
    "state_refuses: Nobody else performs the service 'dye'.",
  );
  expect(captureError(() => updateStaffMember(rt, SLUG, "leo", (doc) => doc, unlinked))).toBe(
    "state_refuses: Nobody else performs the variant 'by-leo' of 'cut'.",
  );
  updateStaffMember(rt, SLUG, "leo", (doc) => doc, { add: ["dye"], remove: [] });
  const start = "2026-12-01T10:00";
  const { id } = createBooking(rt, SLUG, { service: "dye", start, staff: ["mia"] });
  expect(captureError(() => deleteStaffMember(rt, SLUG, "mia", {}))).toMatch(
    /^state_refuses: This would delete objects of the catalog that are booked: 1 future booking: /,
  );
  expect(find(rt, "service", "cut").staff).toEqual(["mia", "leo"]);

  const { changes, affected, deletedVisits } = deleteStaffMember(rt, SLUG, "mia", {
    cancelAffected: await loadCancelAffected(),
  });
  expect(affected.bookings).toEqual([id]);
  expect(deletedVisits).toMatchObject([{ id, guest: null }]);
  expect(changes.map(({ action, key }) => `${action} ${key}`)).toEqual([
    "update cut",
    "update dye",
    "delete mia",
  ]);
  expect(find(rt, "service", "cut").staff).toEqual(["leo"]);
  expect(getBooking(rt, getBusiness(rt, SLUG).id, id).status).toBe("CANCELLED");
});

test("a dry run of a deletion lists the visits of the deleted object, and changes nothing", async () => {
  const rt = openSalon();
  updateStaffMember(rt, SLUG, "leo", (doc) => doc, { add: ["dye"], remove: [] });
  const { id } = createBooking(rt, SLUG, {
    service: "dye",
    start: "2026-12-01T10:00",
    staff: ["mia"],
  });
  rt.startDryRun();
  const { affected } = deleteStaffMember(rt, SLUG, "mia", {
    cancelAffected: await loadCancelAffected(),
  });
  expect(affected.bookings).toEqual([id]);
  expect(find(rt, "staff", "mia").name).toBe("Mia");
});

test("a promotion is paused, resumed and ended; a promotion that has not started cannot be ended", () => {
  const rt = openSalon();
  pausePromotion(rt, SLUG, "tenth");
  expect(find(rt, "promotion", "tenth").status).toBe("INACTIVE");
  resumePromotion(rt, SLUG, "tenth");
  expect(find(rt, "promotion", "tenth").status).toBe("ACTIVE");
  rt.advance(1500);
  const [updated] = recordEvents(rt, () => endPromotion(rt, SLUG, "tenth")) as [Envelope];
  expect(updated.data.object).toMatchObject({ active: false });
  rt.advance(5000);
  expect(recordEvents(rt, () => endPromotion(rt, SLUG, "tenth"))).toEqual([]);
  expect(captureError(() => endPromotion(rt, SLUG, "later"))).toBe(
    "state_refuses: The promotion 'later' starts only at 2026-12-24T10:00.",
  );
});

test("postponing a public event also moves its doors and the end of sales", () => {
  const rt = openSalon();
  const before = find(rt, "public_event", "gala");
  const week = 7 * 86_400_000;
  postponePublicEvent(rt, SLUG, "gala", before.startsAt + week);
  const after = find(rt, "public_event", "gala");
  expect(after).toMatchObject({
    status: "POSTPONED",
    endsAt: before.endsAt + week,
    doorsAt: (before.doorsAt ?? 0) + week,
  });
  expect(after.ticketTypes[0]?.salesEndAt).toBe((before.ticketTypes[0]?.salesEndAt ?? 0) + week);
  cancelPublicEvent(rt, SLUG, "gala");
  expect(find(rt, "public_event", "gala").status).toBe("CANCELLED");
});

const INVALID: [string, (rt: TestRuntime) => unknown][] = [
  [
    "conflict: There is already a staff member 'mia'.",
    (rt) => createStaffMember(rt, SLUG, { key: "mia", name: "Mia" }, []),
  ],
  [
    "resource_not_found: There is no service 'cutt'. Did you mean 'cut'?",
    (rt) => createStaffMember(rt, SLUG, ADDED, ["cutt"]),
  ],
  [
    "validation_failed: Invalid staff member 'nia': 'name' must be one line of 1 to 200 characters, not ' '.",
    (rt) => createStaffMember(rt, SLUG, { ...ADDED, name: " " }, []),
  ],
  [
    "validation_failed: Invalid service 'wax': There is no staff member 'mio'. Did you mean 'mia'?",
    (rt) =>
      createService(rt, SLUG, { key: "wax", name: "Wax", durationMin: 20, price: "9.00" }, ["mio"]),
  ],
  [
    "validation_failed: Invalid hours: 'end' 02:00 is not after 'start' 18:00. For 02:00 on the next day, write 26:00.",
    (rt) => updateHours(rt, SLUG, ["fri"], [{ start: "18:00", end: "02:00" }]),
  ],
  [
    "conflict: There is already a closure on these days.",
    (rt) => createClosure(rt, SLUG, { yearly: "01-01" }),
  ],
  [
    "resource_not_found: There is no closure that begins on '2026-12-24'.",
    (rt) => deleteClosure(rt, SLUG, "2026-12-24"),
  ],
  ["state_refuses: The event 'draft' is a draft.", (rt) => cancelPublicEvent(rt, SLUG, "draft")],
  ["invalid_date: The new start is in the past.", (rt) => postponePublicEvent(rt, SLUG, "gala", 0)],
];

test("an invalid edit is rejected with its reason, and changes nothing", () => {
  const rt = openSalon();
  const events = recordEvents(rt, () => {
    for (const [expected, edit] of INVALID) expect(captureError(() => edit(rt))).toBe(expected);
  });
  expect(events).toEqual([]);
});
