import { expect, test } from "vitest";
import {
  cancelPublicEvent,
  postponePublicEvent,
} from "../../../../src/app/catalog/public-events.ts";
import { parseCalendar } from "../../../support/ical.ts";
import { servePublished } from "../../../support/published-pages.ts";

const serveGig = () =>
  servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    events: [
      {
        key: "gig",
        name: "Gig",
        status: "PUBLISHED",
        startsAt: "2026-12-05T20:15",
        durationMin: 90,
        doorsAt: "2026-12-05T19:35",
      },
    ],
  } as never);

/** Returns what guests and programs see of the event. */
async function readAll({ get }: ReturnType<typeof serveGig>) {
  const read = async (path: string) => (await get(path)).text();
  const withoutScript = (html: string) => html.replaceAll(/<script.*?<\/script>/gs, "");
  const graph = JSON.parse(await read(".jsonld")) as { "@graph": Record<string, unknown>[] };
  return {
    pages: [withoutScript(await read("/events/gig")), withoutScript(await read("/events"))],
    markdown: await read(".md"),
    entries: parseCalendar(await read("/events.ics")),
    data: graph["@graph"].find((node) => node["@type"] === "Event"),
  };
}

const TIMES = /8:15|9:45|7:35|Dec 5|December 5|2026-12-05/;

test("a postponed event has no time on pages, which offer no calendar entry", async () => {
  const served = serveGig();
  const [page = ""] = (await readAll(served)).pages;
  expect(page).toMatch(TIMES);
  expect(page).toContain("Add to calendar");
  postponePublicEvent(served.rt, served.slug, "gig", null);
  const { pages, markdown } = await readAll(served);
  for (const text of [...pages, markdown]) expect(text).not.toMatch(TIMES);
  for (const text of pages) expect(text).toContain("Postponed");
  expect(markdown).toContain("- Gig: POSTPONED");
  expect(pages.join("")).not.toContain("Add to calendar");
});

test("a calendar that has a postponed event strikes out the entry and says why", async () => {
  const served = serveGig();
  const [{ uid, sequence } = {}] = (await readAll(served)).entries;
  postponePublicEvent(served.rt, served.slug, "gig", null);
  const { entries, data } = await readAll(served);
  expect(entries).toMatchObject([{ uid, status: "CANCELLED", summary: "Gig (Postponed)" }]);
  expect(Number(entries[0]?.sequence)).toBeGreaterThan(Number(sequence));
  // Google requires `startDate`.
  expect(data).toMatchObject({ eventStatus: "https://schema.org/EventPostponed" });
  expect(data).not.toHaveProperty("endDate");
  expect(data).not.toHaveProperty("doorTime");
});

test("a cancelled event keeps its time on pages, which offer no calendar entry", async () => {
  const served = serveGig();
  cancelPublicEvent(served.rt, served.slug, "gig");
  const [page = ""] = (await readAll(served)).pages;
  expect(page).toMatch(TIMES);
  expect(page).not.toContain("Add to calendar");
});
