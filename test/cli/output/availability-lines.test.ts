import { expect, test } from "vitest";
import { dayLines, dayRows } from "../../../src/cli/output/availability-lines.ts";
import type { PublicDay } from "../../../src/domain/availability/public-slot.ts";

const DATE = "2026-12-02";
const at = (time: string): string => `${DATE}T${time}:00+01:00`;
const refused = (reason: string, detail: string, ...times: string[]) =>
  times.map((time) => ({ startsAt: at(time), reason, detail, segment: 0 }));
const slot = (time: string) => ({
  startsAt: at(time),
  endsAt: at("12:00"),
  spotsLeft: 1,
  segments: [{ staffId: "stf_1" }],
});

/** A day with slots at 10:00 and 10:30. Start times before, between and after them are rejected. */
const DAY = {
  date: DATE,
  state: "OPEN",
  slots: [slot("10:00"), slot("10:30")],
  refused: [
    ...refused("OUTSIDE_HOURS", "it is outside working hours", "09:00", "09:30"),
    ...refused("TAKEN", "it is already booked", "10:15"),
    ...refused("OUTSIDE_HOURS", "it is outside working hours", "11:00", "11:30"),
  ],
} as unknown as PublicDay;

test("consecutive start times that are rejected for the same reason are one row in a pipe", () => {
  const rows = dayRows(DAY, "Europe/Zurich", () => "mia").map(
    ({ start, state }) => `${start} ${state}`,
  );
  expect(rows).toEqual([
    "09:00-09:30 OUTSIDE_HOURS",
    "10:00 OPEN",
    "10:15 TAKEN",
    "10:30 OPEN",
    "11:00-11:30 OUTSIDE_HOURS",
  ]);
});

test("a range of rejected start times contains no available start time", () => {
  const day = { ...DAY, refused: DAY.refused?.filter(({ reason }) => reason !== "TAKEN") };
  expect(
    dayLines(day as PublicDay, "Europe/Zurich", 80)
      .slice(1)
      .map((line) => line.trim()),
  ).toEqual([
    "09:00-09:30: it is outside working hours",
    "11:00-11:30: it is outside working hours",
  ]);
});

test("a time that clocks show twice has an offset", () => {
  const start = (startsAt: string, endsAt: string) => ({
    startsAt,
    endsAt,
    spotsLeft: 1,
    segments: [{ staffId: "stf_1" }],
  });
  const day = {
    date: "2026-10-25",
    state: "OPEN",
    slots: [
      start("2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+02:00"),
      start("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"),
      start("2026-10-25T02:30:00+01:00", "2026-10-25T03:30:00+01:00"),
    ],
  } as unknown as PublicDay;
  const rows = dayRows(day, "Europe/Zurich", () => "mia").map(({ start, end }) => [start, end]);
  expect(rows).toEqual([
    ["01:30", "02:30+02:00"],
    ["02:30+02:00", "02:30+01:00"],
    ["02:30+01:00", "03:30"],
  ]);
  expect(dayLines(day, "Europe/Zurich", 80)).toEqual([
    "Sun 2026-10-25  OPEN      01:30 02:30+02:00 02:30+01:00",
  ]);
});
