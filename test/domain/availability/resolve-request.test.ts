import { describe, expect, test } from "vitest";
import type {
  NamedAppointmentRequest,
  NamedSegment,
} from "../../../src/domain/availability/request.ts";
import { planNamedRequest } from "../../../src/domain/availability/resolve-request.ts";
import {
  buildAddon,
  buildAddonLink,
  buildService,
  buildStaffMember,
  buildVariant,
} from "../../support/catalog-builders.ts";
import { createShop } from "./requests.ts";

const DAY = "2026-11-23";
const dates = { from: DAY, to: DAY };
const now = Date.parse("2026-11-20T12:00:00Z");
const staff = ["ann", "bea"];
const catalog = createShop({
  service: [
    buildService("cut", { staff, addons: [buildAddonLink("wash", { maxQuantity: 3 })] }),
    buildService("color", { staff, variants: [buildVariant("long")] }),
  ],
  addon: [buildAddon("wash", { maxQuantity: 3 })],
  staff: staff.map((key) => buildStaffMember(key)),
});

describe("the plan of a request that names services", () => {
  const plan = (fields: Partial<NamedAppointmentRequest>) =>
    planNamedRequest(
      catalog,
      "INTERNAL",
      { serviceIds: ["cut"], variantIds: [], addonIds: [], staffIds: [], guests: 1, ...fields },
      dates,
      now,
    ).segments.map(({ service, addons, candidates }) => [
      service?.key,
      addons,
      candidates.map((candidate) => candidate.staff?.key),
    ]);

  test("a requested staff member applies to the whole visit, or only to the service that is named before a colon", () => {
    const serviceIds = ["cut", "color"];
    expect(plan({ serviceIds })).toEqual([
      ["cut", [], ["ann", "bea"]],
      ["color", [], ["ann", "bea"]],
    ]);
    expect(plan({ serviceIds, staffIds: ["bea"] })).toEqual([
      ["cut", [], ["bea"]],
      ["color", [], ["bea"]],
    ]);
    expect(plan({ serviceIds, staffIds: ["color:bea"] })).toEqual([
      ["cut", [], ["ann", "bea"]],
      ["color", [], ["bea"]],
    ]);
  });

  test("an add-on is added to the service that offers it, in the given quantity", () => {
    expect(plan({ serviceIds: ["color", "cut"], addonIds: ["wash*2"] })).toEqual([
      ["color", [], ["ann", "bea"]],
      ["cut", [{ addon: "wash", quantity: 2 }], ["ann", "bea"]],
    ]);
  });
});

test("a segment with the variant of another service, or an unknown variant, is refused", () => {
  const plan = (variantId: string) => {
    const segment: NamedSegment = { serviceId: "cut", variantId, addons: [], staffId: null };
    const request = { segments: [segment], guests: 1 };
    return planNamedRequest(catalog, "INTERNAL", request, dates, now);
  };
  const refused = (code: string, detail: string) =>
    expect.objectContaining({
      code,
      issues: [{ code, detail, parameter: "variantIds", pointer: "#/segments/0/variantId" }],
    });
  expect(() => plan("long")).toThrow(
    refused("variant_service_mismatch", "'long' is not a variant of 'cut'."),
  );
  expect(() => plan("short")).toThrow(
    refused("resource_not_found", "There is no variant 'short'."),
  );
});
