import { expect, test } from "vitest";
import { busyWindow } from "../../../src/domain/availability/busy-intervals.ts";
import { buildStaffMember, buildService, buildVariant } from "../../support/catalog-builders.ts";
import { createShop, minuteAt, searchFor, serviceRequest } from "./requests.ts";

const MONDAY = "2026-11-23";

test("the busy window adds the longest service, twice the longest buffer and a stored one", () => {
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
    start: minuteAt(shop, `${MONDAY}T00:00`) - 400 - 1440,
    end: minuteAt(shop, "2026-11-24T00:00") + 400 + 1440,
  });
});

test("the busy window of a catalog with 100,000 services is that of its longest service", () => {
  const cut = buildService("cut", { durationMin: 60, staff: ["ann"] });
  const shop = createShop({ service: [cut], staff: [buildStaffMember("ann")] });
  const { plan } = searchFor(shop, { on: MONDAY, services: [serviceRequest("cut")] });
  const { objects } = plan.catalog;
  const service = Array.from({ length: 100_000 }, () => cut);
  const large = { ...plan, catalog: { ...plan.catalog, objects: { ...objects, service } } };
  expect(busyWindow(large)).toEqual(busyWindow(plan));
});

test("the busy window reads the staff once, however many services there are", () => {
  const services = Array.from({ length: 50 }, (_, n) => buildService(`s${n}`, { staff: ["ann"] }));
  const shop = createShop({ service: services, staff: [buildStaffMember("ann")] });
  const { plan } = searchFor(shop, { on: MONDAY, services: [serviceRequest("s0")] });
  const { objects } = plan.catalog;
  let reads = 0;
  const ann = {
    ...buildStaffMember("ann"),
    get serviceOverrides() {
      reads += 1;
      return [];
    },
  };
  const staff = [ann];
  busyWindow({ ...plan, catalog: { ...plan.catalog, objects: { ...objects, staff } } });
  expect(reads).toBe(1);
});
