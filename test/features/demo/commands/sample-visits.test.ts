import { expect, test } from "vitest";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { createKey } from "../../../../src/app/keys.ts";
import { bookSampleVisits } from "../../../../src/features/demo/commands/sample-visits.ts";
import { createOrderStore } from "../../../../src/features/tickets/store.ts";
import { PRESETS, readPreset } from "../../../../src/platform/assets.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;

test("the demo has visits today and tomorrow, a request that waits for an answer, and ticket orders", async () => {
  // The test clock stands at noon (UTC) of a Friday.
  const rt = createTestRuntime();
  for (const preset of PRESETS)
    applyCatalog(rt, [{ name: `${preset}.yaml`, text: readPreset(preset) }], {
      seedingAt: rt.now(),
    });
  const salon = getBusiness(rt, "salon-aurora");
  const website = { businessId: salon.id, name: "Website", kind: "RESTRICTED" as const };
  await bookSampleVisits(rt, createKey(rt, { ...website, scopes: ["bookings.write"] }).key);

  const bookings = rt.store.bookings.list({ businessId: salon.id }, 100);
  const soon = bookings.filter(({ startsAt }) => startsAt < rt.now() + 48 * HOUR_MS);
  expect(soon.length).toBeGreaterThan(14);
  const pending = bookings.filter(({ status }) => status === "PENDING");
  expect(pending).toHaveLength(1);
  expect(soon.filter(({ status }) => status !== "CONFIRMED")).toEqual(pending);
  const tables = rt.store.reservations.list({ businessId: getBusiness(rt, "cafe-lumen").id }, 100);
  expect(tables.length).toBeGreaterThan(12);
  const orders = rt
    .openStore(createOrderStore)
    .list({ businessId: getBusiness(rt, "kita-live").id }, 100);
  expect(orders.map(({ status }) => status).toSorted()).toEqual(["CONFIRMED", "PENDING"]);
});
