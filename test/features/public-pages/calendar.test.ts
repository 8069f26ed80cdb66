import { expect, test } from "vitest";
import { parseCalendar } from "../../support/ical.ts";
import { publishSample, servePublished } from "../../support/published-pages.ts";

test("a calendar program reads all events of a business, or a single one", async () => {
  const { get } = publishSample("venue", { publicUrl: "https://shop.example" });
  const response = await get("/events.ics");
  expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  const events = parseCalendar(await response.text());
  expect(events).toHaveLength(11);
  // Calendar programs treat entries with the same UID as one event.
  expect(new Set(events.map(({ uid }) => uid)).size).toBe(11);
  const cancelled = events.filter(({ status }) => status === "CANCELLED");
  expect(cancelled.map(({ summary }) => summary)).toEqual([
    "Saltwater Choir",
    "Kaze Trio (Postponed)",
  ]);
  const [one, ...others] = parseCalendar(
    await (await get("/events.ics?event=blue-hour-quartet")).text(),
  );
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    summary: "Blue Hour Quartet",
    location: "Kita Live, main hall, 2-17-4 Senju, Adachi-ku, Tokyo",
    description: expect.stringContaining(
      "https://shop.example/b/kita-live/events/blue-hour-quartet",
    ),
  });
  expect((await get("/events.ics?event=no-such")).status).toBe(404);
});

test("a calendar has more events than a page of the list of events", async () => {
  const events = Array.from({ length: 200 }, (_, i) => ({
    key: `event-${i}`,
    name: `Event ${i}`,
    startsAt: `2027-03-${10 + (i % 20)}T20:00`,
    durationMin: 120,
  }));
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    events,
  });
  expect(parseCalendar(await (await get("/events.ics")).text())).toHaveLength(200);
});
