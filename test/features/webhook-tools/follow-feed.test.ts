import { expect, onTestFinished, test, vi } from "vitest";
import { appendEvents } from "../../../src/app/events.ts";
import { createKey } from "../../../src/app/keys.ts";
import type { EventDraft } from "../../../src/domain/events/envelope.ts";
import { catalogChangedEvent } from "../../../src/domain/public/catalog-changed.ts";
import { type FeedStart, followFeed } from "../../../src/features/webhook-tools/follow-feed.ts";
import { createTestApp } from "../../support/app.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

/** Serves a business with `stored` events, and follows its feed. */
function openFeed(start: FeedStart, stored: number) {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const draft = catalogChangedEvent([], [business.id], { from: 1, to: 2 });
  const publish = (count: number) =>
    rt.tx(() => appendEvents(rt, business, Array<EventDraft>(count).fill(draft)));
  publish(stored);
  const { secret: key } = createKey(rt, {
    businessId: business.id,
    name: "site",
    kind: "RESTRICTED",
    scopes: ["webhooks.read"],
  });
  const app = createTestApp(rt);
  const requested: (string | null)[] = [];
  vi.stubGlobal("fetch", (url: URL, init: RequestInit) => {
    requested.push(url.searchParams.get("after"));
    return app.request(url.pathname + url.search, init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const feed = { api: "http://127.0.0.1:4100", business: business.slug, key, types: [] };
  const pages = followFeed(feed, start, stop.signal, () => {});
  const countNext = async () => (await pages.next()).value?.events.length as number;
  return { requested, publish, countNext };
}

test("a feed that starts now reads no stored event, and yields each event after its first response", async () => {
  const { requested, publish, countNext } = openFeed("now", 1200);
  expect(await countNext()).toBe(0);
  publish(1);
  expect(await countNext()).toBe(1);
  expect(requested).toEqual(["latest", expect.stringContaining(".")]);
});

test("a feed that starts with the oldest event reads all stored events", async () => {
  const { requested, countNext } = openFeed("oldest", 600);
  expect([await countNext(), await countNext()]).toEqual([500, 100]);
  expect(requested[0]).toBeNull();
});
