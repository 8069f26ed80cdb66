import { expect, test } from "vitest";
import type { Booking } from "../../../../../src/domain/bookings/booking.ts";
import { createVisitor, firstService, listMade, openPage, timesOf } from "../../open-page.ts";

const VISITORS = 300;
const PROXY = { trustedProxies: ["127.0.0.0/8", "::1/128"] };

test(
  "300 visitors who want the same three times never book one of them twice",
  { timeout: 120_000 },
  async () => {
    const { api, base } = openPage("salon", "CONFIRM", PROXY);
    const { key, staff } = firstService(api);
    const first = createVisitor(api, "203.0.113.1");
    const { action, times } = await first.openTimes(timesOf(api, base, key, staff));
    const wanted = times.slice(0, 3);
    const results = await Promise.all(
      Array.from({ length: VISITORS }, async (_, i) => {
        const visitor = createVisitor(api, `198.51.${i >> 8}.${i & 255}`);
        const url = await visitor.hold(action, wanted[i % wanted.length]!);
        if (!url.includes("key=")) return "taken";
        return (await visitor.book(url, { email: `guest${i}@example.com` })).status;
      }),
    );
    const booked = results.filter((status) => status === 303).length;
    const made = listMade(api) as Booking[];
    expect(made).toHaveLength(booked);
    expect(booked).toBeGreaterThan(0);
    const spans = made
      .flatMap(({ segments }) => segments)
      .toSorted((a, b) => a.startsAt - b.startsAt);
    for (const [i, span] of spans.entries())
      expect(span.startsAt).toBeGreaterThanOrEqual(spans[i - 1]?.endsAt ?? 0);
    // Every other visitor was refused in one of the expected ways.
    expect(new Set(results).difference(new Set(["taken", 303, 409, 429]))).toEqual(new Set());
  },
);
