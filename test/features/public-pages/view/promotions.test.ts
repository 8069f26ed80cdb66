import { expect, test } from "vitest";
import { servePublished } from "../../../support/published-pages.ts";

const BUSINESS = { slug: "shop", name: "Shop", timezone: "Europe/Zurich", currency: "CHF" };

/** Serves a page with an offer, and returns a function that reads when the offer applies. */
function publishOffer(schedule: { endsAt?: string; excludeDates?: string[] }) {
  const benefit = { type: "PERCENT_OFF", percent: "10" } as const;
  const promotions = [{ key: "offer", name: "Offer", benefit, schedule }];
  const { rt, get } = servePublished({ catalog: 1, business: BUSINESS, promotions });
  const read = async (language: string) => {
    const html = await (await get(`?lang=${language}`)).text();
    const [, facts = ""] = /id="prm_[^]*?<p class="facts">([^]*?)<\/p>/.exec(html) ?? [];
    return [...facts.matchAll(/<span>([^<]*)<\/span>/g)].map(([, fact]) => fact);
  };
  return { rt, read };
}

test.each([
  ["2027-03-01T00:00", "until Sun, Feb 28"],
  ["2027-02-28T23:59", "until Sun, Feb 28"],
  ["2027-03-01T00:01", "until Mon, Mar 1"],
])("the page says of an offer that ends at %s: %s", async (endsAt, expected) => {
  const { read } = publishOffer({ endsAt });
  expect(await read("en")).toEqual([expected]);
});

test("an offer names the next ten days on which it does not apply, from today on", async () => {
  const past = ["2026-11-18", "2026-11-19"];
  const excludeDates = [...past, "2026-11-20", "2026-12-24", "2026-12-31"];
  const { rt, read } = publishOffer({ excludeDates });
  rt.advance(Date.parse("2026-11-20T12:00:00+01:00") - rt.now());
  expect(await read("en")).toEqual(["except Fri, Nov 20; Thu, Dec 24; Thu, Dec 31"]);
  rt.advance(24 * 60 * 60 * 1000);
  expect(await read("en")).toEqual(["except Thu, Dec 24; Thu, Dec 31"]);
  expect(await read("de")).toEqual(["außer Do., 24. Dez.; Do., 31. Dez."]);

  const many = Array.from({ length: 11 }, (_, i) => `2027-01-${10 + i}`);
  const [fact = ""] = await publishOffer({ excludeDates: many }).read("en");
  expect(fact.match(/Jan/g)).toHaveLength(10);
  expect(fact).toContain("except Sun, Jan 10;");
});
