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

test("the description of an endpoint that does not respond says since when, if the start is known", () => {
  expect(describe({})).toBe("Failing: no response in time");
  expect(describe({ code: "HELD" })).toBe("Nothing is sent for now: no response in time");
  expect(describe({ since: "2026-11-20T14:02:00Z" })).toMatch(
    /^Failing: no response in time since \d/,
  );
});

test("the local day of a time depends on the time zone", () => {
  const late = Date.parse("2026-11-21T03:30:00Z");
  expect([localDay(late, "America/New_York"), localDay(late, "Europe/Berlin")]).toEqual([
    "2026-11-20",
    "2026-11-21",
  ]);
});
