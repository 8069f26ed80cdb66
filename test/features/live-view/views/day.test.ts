import { expect, test } from "vitest";
import {
  type Day,
  renderDay,
  type ShownVisit,
  visitIndex,
} from "../../../../src/features/live-view/views/day.ts";

const visit: ShownVisit = {
  id: "bkg_1",
  type: "booking",
  status: "CONFIRMED",
  startsAt: Date.parse("2026-12-01T09:00Z"),
  endsAt: Date.parse("2026-12-01T10:00Z"),
  guest: "Ana",
  guests: 1,
  service: "Cut",
  staff: "Mia",
  isStaffAway: false,
  place: null,
  slug: "salon",
  timezone: "Europe/Zurich",
  teller: "nobody",
};

const dayOf = (...visits: ShownVisit[]): Day => ({
  dates: ["2026-12-01"],
  hasSeveralBusinesses: false,
  visits,
});

type Line = ReturnType<typeof renderDay>["rows"][number];
const textOf = (line: Line = []) => line.map(({ text }) => text).join("");

test("the column titles of the day view do not count as rows and do not scroll", () => {
  const { head, rows } = renderDay(dayOf(visit, visit), 78, 1);
  expect(head.map(textOf)).toEqual([expect.stringMatching(/^ {2}TIME +GUEST .* STATUS$/)]);
  expect(rows.map(textOf)).toEqual([
    expect.stringMatching(/^ {2}10:00-11:00 Ana /),
    expect.stringMatching(/^▸ 10:00-11:00 Ana /),
  ]);
});

test("a local time that occurs twice because the clocks are set back is shown with its offset", () => {
  const repeated = {
    ...visit,
    startsAt: Date.parse("2026-10-25T00:30Z"),
    endsAt: Date.parse("2026-10-25T01:15Z"),
  };
  const [line] = renderDay(dayOf(repeated), 78, 0).rows;
  expect(textOf(line)).toMatch(/^▸ 02:30\+02:00-02:15\+01:00 Ana /);
});

test("a narrow terminal shows only the starts of visits, and the selected visit in full below", () => {
  const away = { ...visit, staff: "Mia Maria Lindqvist", isStaffAway: true, place: "Chair 1" };
  const { rows, about } = renderDay(dayOf(visit, away), 43, 1);
  expect(rows.map(textOf)).toEqual([
    expect.stringMatching(/^ {2}10:00 Ana +Cut +CONFIRMED$/),
    expect.stringMatching(/^▸▲10:00 Ana +Cut +CONFIRMED$/),
  ]);
  expect(about.map(textOf)).toEqual([
    " 10:00-11:00 · Ana · Cut · Mia Maria",
    " Lindqvist (away) · Chair 1",
  ]);
});

test("the day of several businesses names the business of each visit", () => {
  const day = { ...dayOf(visit, { ...visit, slug: "cafe" }), hasSeveralBusinesses: true };
  const { head, rows } = renderDay(day, 98, 0);
  expect(textOf(head[0])).toMatch(/PLACE +BUSINESS +STATUS$/);
  expect(textOf(rows[1])).toMatch(/ cafe +CONFIRMED$/);
  expect(renderDay(day, 43, 1).about.map(textOf)).toEqual([
    " 10:00-11:00 · Ana · Cut · Mia · cafe",
    " ",
  ]);
});

test("the day selects the first visit that is not over, and the next visit if the selected one leaves the day", () => {
  const at = (id: string, hour: number): ShownVisit => ({
    ...visit,
    id,
    startsAt: hour * 3_600_000,
    endsAt: (hour + 1) * 3_600_000,
  });
  const day = dayOf(at("a", 8), at("b", 9), at("c", 10));
  expect(visitIndex(null, day, 9.5 * 3_600_000)).toBe(1);
  expect(visitIndex(null, day, 20 * 3_600_000)).toBe(2);
  expect(visitIndex({ id: "c", startsAt: 10 * 3_600_000 }, day, 0)).toBe(2);
  expect(visitIndex({ id: "gone", startsAt: 9 * 3_600_000 }, day, 0)).toBe(1);
  expect(visitIndex({ id: "gone", startsAt: 23 * 3_600_000 }, day, 0)).toBe(2);
  expect(visitIndex(null, null, 0)).toBe(0);
});
