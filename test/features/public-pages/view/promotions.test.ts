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
