import { expect, test } from "vitest";
import { busyWindow } from "../../../src/domain/availability/busy-window.ts";
import { aPerson, aService, aVariant } from "../../support/catalog.ts";
import { aShop, at, openingsFor, wish } from "./ask.ts";

const MONDAY = "2026-11-23";

test("the window to load reaches back by the longest service and twice the longest buffer", () => {
  const shop = aShop({
    service: [
      aService("cut", { durationMin: 60, bufferAfterMin: 20, staff: ["ann"] }),
      aService("bridal", {
        durationMin: 100,
        variants: [aVariant("party", { durationMin: 300 })],
        staff: ["ann"],
      }),
    ],
    staff: [
      aPerson("ann", {
        serviceOverrides: [{ service: "bridal", durationMin: 360, priceCents: null }],
      }),
    ],
  });
  const { plan } = openingsFor(shop, { on: MONDAY, services: [wish("cut")] });
  expect(busyWindow(plan)).toEqual({
    start: at(shop, `${MONDAY}T00:00`) - 400,
    end: at(shop, "2026-11-24T00:00") + 400,
  });
});
