import { expect, onTestFinished, test, vi } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createCalendar } from "../../../src/features/calendars/calendars.ts";
import { findFeed } from "../../../src/features/calendars/feed.ts";
import { createCalendarFeeds } from "../../../src/features/calendars/feeds.ts";
import { parseCalendar } from "../../support/ical.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

test("the thread of calendar feeds does not count as idle while one of two feeds is still being written", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, "hours: [{ days: mon-sun, start: '09:00', end: '17:00' }]");
  const business = getBusiness(rt, "salon-aurora");
  const feeds = createCalendarFeeds(rt.config);
  onTestFinished(feeds.stop);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const [first, second] = [1, 2].map(() => {
    const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: false });
    return feeds.encode(calendar.id, findFeed(rt, calendar)!).identity();
  });
  await first;
  vi.advanceTimersByTime(30_000);
  expect(parseCalendar(String(await second))).toEqual([]);
});

test("a feed that is still being written when the server stops is refused", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, "hours: [{ days: mon-sun, start: '09:00', end: '17:00' }]");
  const business = getBusiness(rt, "salon-aurora");
  const feeds = createCalendarFeeds(rt.config);
  const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: false });
  const body = feeds.encode(calendar.id, findFeed(rt, calendar)!).identity();
  feeds.stop();
  await expect(body).rejects.toThrow("The server is stopping.");
});
