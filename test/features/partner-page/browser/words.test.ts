import { expect, test } from "vitest";
import type { Endpoint } from "../../../../src/features/partner-page/browser/types.ts";
import { describeEndpoint, localDay } from "../../../../src/features/partner-page/browser/words.ts";

const NOW = Date.parse("2026-11-20T14:30:00Z");

const describe = (state: Partial<Endpoint["state"]>): string =>
  describeEndpoint(
    {
      state: { code: "FAILING", reason: "no_response", since: null, until: null, ...state },
      lastStatusCode: null,
    } as Endpoint,
    NOW,
  ).text;

test("an endpoint without a response is described, with the time since when or without one", () => {
  expect(describe({})).toBe("Failing: no response in time");
  expect(describe({ code: "HELD" })).toBe("Nothing is sent for now: no response in time");
  expect(describe({ since: "2026-11-20T14:02:00Z" })).toMatch(
    /^Failing: no response in time since \d/,
  );
});

test("the day of a time is that of its zone", () => {
  const late = Date.parse("2026-11-21T03:30:00Z");
  expect([localDay(late, "America/New_York"), localDay(late, "Europe/Berlin")]).toEqual([
    "2026-11-20",
    "2026-11-21",
  ]);
});
