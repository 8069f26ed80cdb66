import { expect, test } from "vitest";
import type { DayEntry } from "../../../../src/app/bookings/day-sheet.ts";
import { renderDay } from "../../../../src/features/live-view/views/day.ts";

const visit: DayEntry = {
  id: "bkg_1",
  type: "booking",
  status: "CONFIRMED",
  startsAt: Date.parse("2026-12-01T09:00Z"),
  endsAt: Date.parse("2026-12-01T10:00Z"),
  guest: "Ana",
  guests: 1,
  service: "Cut",
  staff: "Mia",
  place: null,
};

test("the titles of the day's columns are neither counted nor scrolled", () => {
  const day = { date: "2026-12-01", timezone: "Europe/Zurich", entries: [visit, visit] };
  const { head, rows } = renderDay(day, 78);
  const textOf = (line: (typeof rows)[number] = []) => line.map(({ text }) => text).join("");
  expect(head.map(textOf)).toEqual([expect.stringMatching(/^ TIME +GUEST .* STATUS$/)]);
  expect(rows.map(textOf)).toEqual([
    expect.stringMatching(/^ 10:00-11:00 Ana /),
    expect.stringMatching(/^ 10:00-11:00 Ana /),
  ]);
});

test("a time that occurs twice in a night has an offset", () => {
  const repeated = {
    ...visit,
    startsAt: Date.parse("2026-10-25T00:30Z"),
    endsAt: Date.parse("2026-10-25T01:15Z"),
  };
  const day = { date: "2026-10-25", timezone: "Europe/Zurich", entries: [repeated] };
  const [line = []] = renderDay(day, 78).rows;
  expect(line.map(({ text }) => text).join("")).toMatch(/^ 02:30\+02:00-02:15\+01:00 Ana /);
});
