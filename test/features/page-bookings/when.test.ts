import { expect, test } from "vitest";
import { writeEnd } from "../../../src/features/page-bookings/when.ts";
import { getFormat } from "../../../src/features/public-pages/format.ts";

test("the end of a visit is written with its date if it is a day or more after the start", () => {
  const timezone = "Europe/Zurich";
  const currency = { currency: "CHF", currencyDigits: 2 };
  const format = getFormat({ ...currency, language: "en", country: "CH", timezone });
  const start = Date.parse("2026-12-04T22:00:00+01:00");
  const write = (end: string) => writeEnd({ format }, timezone, start, Date.parse(end));
  expect(write("2026-12-05T04:00:00+01:00")).toBe("04:00");
  expect(write("2026-12-06T18:00:00+01:00")).toContain("6 December 2026, 18:00");
});
