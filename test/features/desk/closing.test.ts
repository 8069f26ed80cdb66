import { expect, test } from "vitest";
import { closeFromNow, currentClosing, reopen } from "../../../src/features/desk/closing.ts";
import { updateDateHours } from "../../../src/app/catalog/schedule.ts";
import { applyCatalogBody, captureError } from "../../support/use-case.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const SLUG = "salon-aurora";
const HOURS = `
hours:
  - { days: [mon-sun], start: "09:00", end: "12:00" }
  - { days: [mon-sun], start: "14:00", end: "26:00" }
`;

/**
 * Creates a business whose clock shows `time`.
 * @param time the local time in New York, without an offset
 */
function openAt(time: string) {
  const rt = createTestRuntime({}, Date.parse(`${time}-05:00`));
  applyCatalogBody(rt, HOURS);
  const schedule = () => rt.store.businesses.findBySlug(SLUG)!.schedule;
  const exceptions = () =>
    schedule().exceptions.map(({ date, intervals }) => ({ date, intervals }));
  const changed = () => currentClosing(rt, rt.store.businesses.findBySlug(SLUG)!)?.date;
  return { rt, exceptions, changed };
}

test("closing for the rest of the day keeps the hours before the current time", () => {
  const { rt, exceptions, changed } = openAt("2026-12-01T15:30");
  closeFromNow(rt, SLUG, null);
  expect(exceptions()).toEqual([
    {
      date: "2026-12-01",
      intervals: [
        { start: "09:00", end: "12:00" },
        { start: "14:00", end: "15:30" },
      ],
    },
  ]);
  expect(changed()).toBe("2026-12-01");
  reopen(rt, SLUG);
  expect(exceptions()).toEqual([]);
  expect(changed()).toBeUndefined();
});

test("reopening restores the hours that a date had before two closings, at the old place in the list of dates", () => {
  const { rt, exceptions, changed } = openAt("2026-12-24T11:00");
  applyCatalogBody(
    rt,
    `${HOURS}
exceptions:
  - { date: "2026-12-24", mode: only, intervals: [{ start: "09:00", end: "13:00" }] }
  - { date: "2026-12-31", mode: only, intervals: [{ start: "09:00", end: "15:00" }] }
`,
  );
  const planned = exceptions();
  expect(changed()).toBeUndefined();
  closeFromNow(rt, SLUG, "12:30");
  closeFromNow(rt, SLUG, null);
  const closed = [{ start: "09:00", end: "11:00" }];
  expect(exceptions()[0]?.intervals).toEqual(closed);
  reopen(rt, SLUG);
  expect(exceptions()).toEqual(planned);
  expect(changed()).toBeUndefined();
  // The undo of the reopening closes the business again.
  updateDateHours(rt, SLUG, "2026-12-24", closed);
  expect(changed()).toBe("2026-12-24");
  reopen(rt, SLUG);
  expect(exceptions()).toEqual(planned);
});

test("a reopening keeps the hours of a date that were changed after the closing", () => {
  const { rt, exceptions, changed } = openAt("2026-12-01T10:00");
  closeFromNow(rt, SLUG, null);
  updateDateHours(rt, SLUG, "2026-12-01", [{ start: "09:00", end: "11:00" }]);
  expect(changed()).toBeUndefined();
  reopen(rt, SLUG);
  expect(exceptions()).toMatchObject([{ intervals: [{ start: "09:00", end: "11:00" }] }]);
});

test("closing until a time keeps the hours after this time", () => {
  const { rt, exceptions } = openAt("2026-12-01T10:00");
  closeFromNow(rt, SLUG, "15:00");
  expect(exceptions()[0]?.intervals).toEqual([
    { start: "09:00", end: "10:00" },
    { start: "15:00", end: "26:00" },
  ]);
});

test.each([
  ["2026-12-01T15:30", "15:00", "15:00 is over: choose a later time."],
  ["2026-12-02T01:00", "00:30", "00:30 is over: choose a later time."],
  ["2026-12-01T23:00", "01:00", "The business cannot open again after midnight"],
  ["2026-12-02T01:00", "01:30", "The business cannot open again after midnight"],
])("at %s, closing until %s is refused with a reason: %s", (now, until, reason) => {
  const { rt, exceptions } = openAt(now);
  expect(() => closeFromNow(rt, SLUG, until)).toThrow(reason);
  expect(exceptions()).toEqual([]);
});

test("closing after midnight ends the hours of the evening before", () => {
  const { rt, exceptions, changed } = openAt("2026-12-02T01:00");
  closeFromNow(rt, SLUG, null);
  expect(exceptions()).toEqual([
    {
      date: "2026-12-01",
      intervals: [
        { start: "09:00", end: "12:00" },
        { start: "14:00", end: "25:00" },
      ],
    },
  ]);
  expect(changed()).toBe("2026-12-01");
});

test("a business that is not open any more cannot be closed", () => {
  const { rt, exceptions } = openAt("2026-12-02T05:00");
  closeFromNow(rt, SLUG, null);
  expect(exceptions()[0]?.intervals).toEqual([]);
  expect(captureError(() => closeFromNow(rt, SLUG, null))).toBe(
    "conflict: The business is not open at this time.",
  );
  expect(captureError(() => closeFromNow(rt, SLUG, "25:99"))).toMatch(/^validation_failed: /);
});
