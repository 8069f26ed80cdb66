import { expect, test } from "vitest";
import {
  affectedVisitsText,
  deletedVisitsText,
  noVisits,
  type VisitSummary,
} from "../../../src/domain/bookings/affected-visits.ts";

const visits = (count: number): VisitSummary[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `bkg_${i}`,
    shortId: `…${i}`,
    startsAt: `2026-12-01T${10 + i}:00:00-05:00`,
    guest: i === 0 ? "Ana Bauer" : null,
    service: "Cut",
    staff: i === 0 ? "Maya" : null,
  }));

test("a text about affected visits lists ten of them, and counts the others", () => {
  const two = "2026-12-01 10:00 · Ana Bauer · Cut · Maya · …0; 2026-12-01 11:00 · - · Cut · …1";
  expect(affectedVisitsText(visits(2), 2)).toBe(
    `2 future visits are affected and stay as they are: ${two}`,
  );
  expect(affectedVisitsText(visits(1), 1)).toBe(
    "1 future visit is affected and stays as it is: 2026-12-01 10:00 · Ana Bauer · Cut · Maya · …0",
  );
  const many = affectedVisitsText(visits(10), 12);
  expect(many.split("; ")).toHaveLength(11);
  expect(many).toMatch(/ · …9; and 2 more$/);
});

test("a text about deleted visits counts them by their kind and names no guest", () => {
  const affected = { ...noVisits(), bookings: ["bkg_0"], reservations: ["rsv_1", "rsv_2"] };
  expect(deletedVisitsText(affected, visits(2))).toBe(
    "1 future booking, 2 future reservations: 2026-12-01 10:00 · Cut · Maya · …0; 2026-12-01 11:00 · Cut · …1; and 1 more",
  );
  expect(deletedVisitsText(noVisits(), [])).toBeNull();
});
