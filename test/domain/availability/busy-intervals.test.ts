import { expect, test } from "vitest";
import { busyWindow } from "../../../src/domain/availability/busy-intervals.ts";
import { buildStaffMember, buildService, buildVariant } from "../../support/catalog-builders.ts";
import { createShop, minuteAt, searchFor, serviceRequest } from "./requests.ts";

const MONDAY = "2026-11-23";

test("the busy window exceeds the requested days by the visit, its longest buffer and the longest booked buffer", () => {
  const shop = createShop({
    service: [
      buildService("cut", { durationMin: 60, bufferAfterMin: 20, staff: ["ann"] }),
      buildService("bridal", {
        durationMin: 100,
        variants: [buildVariant("party", { durationMin: 300 })],
        staff: ["ann"],
      }),
    ],
    staff: [
      buildStaffMember("ann", {
        serviceOverrides: [{ service: "bridal", durationMin: 360, priceCents: null }],
      }),
    ],
  });
  const { plan } = searchFor(shop, { on: MONDAY, services: [serviceRequest("cut")] });
  expect(busyWindow(plan)).toEqual({
    start: minuteAt(shop, `${MONDAY}T00:00`) - 20 - 1440,
    end: minuteAt(shop, "2026-11-24T00:00") + 60 + 20 + 1440,
  });
});
