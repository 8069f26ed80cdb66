import { expect, test } from "vitest";
import { writeEnd, writeZone } from "../../../src/features/page-bookings/when.ts";
import { textsOf } from "../../../src/features/page-bookings/texts.ts";
import { PAGE_LANGUAGES } from "../../../src/pages/languages.ts";
import { firstService, openPage, timesOf } from "./open-page.ts";
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

test("the place of the times is the town of the business, in no language the city of its time zone", () => {
  const postalAddress = {
    street: "Bahnhofstrasse 1",
    locality: "Zürich",
    region: null,
    postalCode: null,
    country: "CH",
  };
  expect(writeZone(textsOf("de"), { postalAddress })).toBe("Zeiten vor Ort: Zürich.");
  for (const language of PAGE_LANGUAGES) {
    expect(writeZone(textsOf(language), { postalAddress })).toMatch(/: Zürich\.$/);
    expect(writeZone(textsOf(language), { postalAddress: null })).not.toMatch(/[{}:]/);
  }
});

test("the page with the free times names the town of the business", async () => {
  const { api, base, visitor } = openPage();
  const { html } = await visitor.openTimes(timesOf(api, base, firstService(api).key));
  expect(html).toContain("Times are local: Brooklyn.");
  expect(html).not.toContain("New York");
});
