import { expect, test } from "vitest";
import { servePublished } from "../../../support/published-pages.ts";

/** Returns the line of each weekday in the Markdown of a business, and the texts of its page. */
async function readHours(hours: readonly object[], language = "en") {
  const { rt, get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    hours,
  } as never);
  // The tests run on a Friday.
  expect(new Date(rt.now()).toISOString()).toMatch(/^2026-11-20/);
  const markdown = await (await get(`.md?lang=${language}`)).text();
  const html = await (await get(`?lang=${language}`)).text();
  const table = html.slice(html.indexOf('<table class="hours">'), html.indexOf("</table>"));
  return {
    lineOf: (day: string) => markdown.split("\n").find((line) => line.startsWith(`- ${day}: `)),
    page: table.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "),
  };
}

const TEN_TO_FIVE = { start: "10:00", end: "17:00" };

test("hours that end within the next weeks say their last day", async () => {
  const sundays = { days: ["sun"], ...TEN_TO_FIVE, validFrom: "2026-11-01", validTo: "2026-12-22" };
  const { lineOf, page } = await readHours([sundays]);
  expect(lineOf("Sunday")).toBe("- Sunday: 10:00 AM – 5:00 PM (until Sun, Dec 20)");
  expect(page).toContain("Sunday 10:00 AM – 5:00 PM until Sun, Dec 20");
  expect((await readHours([sundays], "de")).page).toContain("10:00 – 17:00 bis So., 20. Dez.");
});

test("hours that begin within the next weeks follow those of this week with their first day", async () => {
  const { lineOf, page } = await readHours([
    { days: ["sat"], ...TEN_TO_FIVE, validTo: "2026-12-05" },
    { days: ["sat"], start: "12:00", end: "15:00", validFrom: "2026-12-06" },
    { days: ["sun"], ...TEN_TO_FIVE, validFrom: "2026-12-01" },
  ]);
  expect(lineOf("Saturday")).toBe(
    "- Saturday: 10:00 AM – 5:00 PM (until Sat, Dec 5), 12:00 PM – 3:00 PM (from Sat, Dec 12)",
  );
  expect(lineOf("Sunday")).toBe("- Sunday: Closed, 10:00 AM – 5:00 PM (from Sun, Dec 6)");
  expect(page).toContain("Sunday Closed 10:00 AM – 5:00 PM from Sun, Dec 6");
});

test("each weekday has the hours of its next date, not those of today", async () => {
  const { lineOf } = await readHours([
    { days: ["mon"], ...TEN_TO_FIVE, validTo: "2026-11-22" },
    { days: ["tue"], ...TEN_TO_FIVE, validFrom: "2026-11-23" },
  ]);
  expect(lineOf("Monday")).toBe("- Monday: Closed");
  expect(lineOf("Tuesday")).toBe("- Tuesday: 10:00 AM – 5:00 PM");
});

test("opening hours name no day if their rules follow one another without a gap, or end after the next weeks", async () => {
  const { lineOf } = await readHours([
    { days: ["mon"], ...TEN_TO_FIVE, validTo: "2026-12-31" },
    { days: ["mon", "tue"], ...TEN_TO_FIVE, validFrom: "2027-01-01" },
    { days: ["wed"], ...TEN_TO_FIVE, validTo: "2027-03-01" },
    { days: ["thu"], ...TEN_TO_FIVE, validFrom: "2027-03-01" },
  ]);
  expect(lineOf("Monday")).toBe("- Monday: 10:00 AM – 5:00 PM");
  expect(lineOf("Tuesday")).toBe("- Tuesday: Closed, 10:00 AM – 5:00 PM (from Tue, Jan 5)");
  expect(lineOf("Wednesday")).toBe("- Wednesday: 10:00 AM – 5:00 PM");
  expect(lineOf("Thursday")).toBe("- Thursday: Closed");
});
