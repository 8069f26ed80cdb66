import { expect, test } from "vitest";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { describeVisit } from "../../../src/features/guest-mail/describe.ts";
import { textsOf } from "../../../src/features/page-bookings/texts.ts";
import { getFormat } from "../../../src/features/public-pages/format.ts";
import type { Preset } from "../../../src/platform/assets.ts";
import type { TestApi } from "../../http/support/api.ts";
import { businessOf, openPage } from "../page-bookings/open-page.ts";

/** Returns the rows of a mail in English about a new visit. */
function rowsOf(preset: Preset, create: (api: TestApi, slug: string) => { id: string }) {
  const { api } = openPage(preset);
  const business = businessOf(api);
  const { timezone, currency, currencyDigits } = business.doc;
  const format = getFormat({ language: "en", country: null, timezone, currency, currencyDigits });
  const { id } = create(api, business.slug);
  return describeVisit(api, business, id, "en")?.rows(textsOf("en"), format) ?? [];
}

test("a mail about a service gives the number of people if it is above one, and a mail about a table the party size", () => {
  const peopleOf = (guests: number) =>
    rowsOf("salon", (api, slug) =>
      createBooking(api, slug, { service: "makeup-class", start: "2026-12-02T16:00", guests }),
    ).filter(({ about }) => about === "People");
  expect(peopleOf(1)).toEqual([]);
  expect(peopleOf(3)).toEqual([{ about: "People", lines: ["3"] }]);
  const table = rowsOf("restaurant", (api, slug) =>
    createReservation(api, slug, { party: 4, start: "2026-12-01T12:00" }),
  );
  expect(table).toEqual([{ about: "What", lines: ["Table for 4"] }]);
});

test("a mail writes 'from' before a total that is a starting price", () => {
  const rows = rowsOf("salon", (api, slug) =>
    createBooking(api, slug, { service: "balayage", start: "2026-12-02T10:00" }),
  );
  expect(rows).toContainEqual({ about: "Total", lines: ["from $260.00"] });
});
