import { BOOKING_RULE_DEFAULTS } from "../../../src/domain/catalog/file/services.ts";
import { describe, expect, test } from "vitest";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { AppError } from "../../../src/domain/errors.ts";
import {
  buildAddon,
  buildAddonLink,
  buildArea,
  buildService,
  buildStaffMember,
  buildTable,
  buildVariant,
} from "../../support/catalog-builders.ts";
import { createShop, resolvedRequest, type RequestFields, serviceRequest } from "./requests.ts";

const NOW = Date.parse("2026-11-20T12:00:30Z");

const catalog = createShop({
  service: [
    buildService("cut", {
      durationMin: 60,
      priceCents: 8000,
      staff: ["bea", "ann", "zoe", "old"],
      bookingRules: {
        ...BOOKING_RULE_DEFAULTS,
        slotIntervalMin: 20,
        minNoticeMin: 120,
        maxAdvanceDays: null,
      },
      variants: [
        buildVariant("long", { durationMin: 90, priceCents: 9500, isDefault: true }),
        buildVariant("by-ann", { durationMin: 45, staff: ["ann"] }),
        buildVariant("gone", { status: "INACTIVE" }),
      ],
      addons: [
        buildAddonLink("wash", { required: true, durationMin: 15 }),
        buildAddonLink("tone", { maxQuantity: 3, priceCents: 1000 }),
        buildAddonLink("retired"),
      ],
    }),
    buildService("yoga", {
      capacity: 8,
      staff: ["ann"],
      bookingRules: {
        ...BOOKING_RULE_DEFAULTS,
        slotIntervalMin: 60,
        minNoticeMin: 30,
        maxAdvanceDays: 7,
      },
    }),
    buildService("sauna"),
    buildService("advice", { bookable: false }),
    buildService("old-perm", { status: "ARCHIVED" }),
  ],
  addon: [
    buildAddon("wash", { durationMin: 10, priceCents: 500 }),
    buildAddon("tone", { durationMin: 20 }),
    buildAddon("retired", { status: "INACTIVE" }),
  ],
  staff: [
    buildStaffMember("zoe", { bookable: false }),
    buildStaffMember("bea", {
      serviceOverrides: [{ service: "cut", durationMin: 70, priceCents: null }],
    }),
    buildStaffMember("ann"),
    buildStaffMember("old", { status: "INACTIVE" }),
  ],
  area: [buildArea("in"), buildArea("terrace", { status: "INACTIVE" })],
  table: [
    buildTable("long", { maxSeats: 8, minSeats: 4 }),
    buildTable("t2", { maxSeats: 2 }),
    buildTable("t1", { maxSeats: 2, area: "in" }),
    buildTable("out", { maxSeats: 12, area: "terrace" }),
  ],
  schedule: {
    turnTimes: [
      { upTo: 4, min: 120 },
      { upTo: 2, min: 90 },
    ],
  },
  policy: { maxAdvanceDays: 90 },
});

const plan = (fields: RequestFields) =>
  planResolvedRequest(catalog, resolvedRequest({ on: "2026-11-23", ...fields }), NOW);

const candidatesOf = (fields: RequestFields) =>
  plan(fields).segments[0]?.candidates.map(
    ({ staff, table, durationMin, priceCents }) =>
      `${staff?.key ?? table?.key ?? "none"} ${durationMin} ${priceCents}`,
  );

describe("a segment has these candidates, durations and prices", () => {
  test.each<[string, RequestFields, string[]]>([
    [
      "the default variant and required add-ons; a person's own duration overrides the variant's",
      { services: [serviceRequest("cut")] },
      ["ann 105 10000", "bea 85 10000"],
    ],
    [
      "an add-on with a quantity",
      {
        services: [
          serviceRequest("cut", {
            addons: [
              { addon: "tone", quantity: 2 },
              { addon: "tone", quantity: 1 },
            ],
          }),
        ],
      },
      ["ann 165 13000", "bea 145 13000"],
    ],
    [
      "a variant with its own staff",
      { services: [serviceRequest("cut", { variant: "by-ann" })] },
      ["ann 60 3500"],
    ],
    [
      "the requested staff member",
      { services: [serviceRequest("cut", { staff: "bea" })] },
      ["bea 85 10000"],
    ],
    ["a service without staff", { services: [serviceRequest("sauna")] }, ["none 30 3000"]],
    ["tables, smallest first", { partySize: 2 }, ["t1 90 0", "t2 90 0"]],
    ["a longer turn time for a larger party", { partySize: 4 }, ["long 120 0"]],
    ["the longest turn time for a party above every rule", { partySize: 7 }, ["long 120 0"]],
    ["tables of one area", { partySize: 2, area: "in" }, ["t1 90 0"]],
  ])("a segment has the right candidates, durations and prices with %s", (_, fields, expected) => {
    expect(candidatesOf(fields)).toEqual(expected);
  });
});

test("a segment's price and duration are the variant's, or the requested staff member's", () => {
  const terms = (staff: string | null) =>
    plan({ services: [serviceRequest("cut", { staff }), serviceRequest("sauna")] }).segments.map(
      (s) => `${s.durationMin} ${s.priceCents}`,
    );
  expect(terms(null)).toEqual(["105 10000", "30 3000"]);
  expect(terms("bea")).toEqual(["85 10000", "30 3000"]);
});

test.each([
  { order: ["cut", "yoga", "sauna"], intervalMin: 20 },
  { order: ["yoga", "sauna", "cut"], intervalMin: 60 },
])(
  "a visit has its services' strictest notice and horizon, and the first service's interval: $order",
  ({ order, intervalMin }) => {
    const visit = plan({ services: order.map((service) => serviceRequest(service)) });
    expect(visit.intervalMin).toBe(intervalMin);
    // 12:01 is the next whole minute, and the cut has a minimum notice of two hours.
    expect(visit.earliestMin * 60_000).toBe(Date.parse("2026-11-20T14:01:00Z"));
    expect(visit.horizonDay - visit.firstDay).toBe(4);
  },
);

describe("a request is rejected for", () => {
  test.each<[string, RequestFields, string[]]>([
    ["an unknown service", { services: [serviceRequest("perm")] }, ["resource_not_found"]],
    [
      "a service that is not bookable",
      { services: [serviceRequest("advice")] },
      ["service_not_bookable"],
    ],
    ["an archived service", { services: [serviceRequest("old-perm")] }, ["service_not_bookable"]],
    [
      "a variant of another service",
      { services: [serviceRequest("sauna", { variant: "long" })] },
      ["variant_service_mismatch"],
    ],
    [
      "an inactive variant",
      { services: [serviceRequest("cut", { variant: "gone" })] },
      ["variant_service_mismatch"],
    ],
    [
      "an add-on of another service",
      { services: [serviceRequest("sauna", { addons: [{ addon: "wash", quantity: 1 }] })] },
      ["addon_not_linked"],
    ],
    [
      "an inactive add-on",
      { services: [serviceRequest("cut", { addons: [{ addon: "retired", quantity: 1 }] })] },
      ["addon_not_linked"],
    ],
    [
      "too many of an add-on",
      { services: [serviceRequest("cut", { addons: [{ addon: "tone", quantity: 4 }] })] },
      ["validation_failed"],
    ],
    [
      "zero of a required add-on",
      { services: [serviceRequest("cut", { addons: [{ addon: "wash", quantity: 0 }] })] },
      ["validation_failed"],
    ],
    [
      "a staff member who does not perform the service",
      { services: [serviceRequest("yoga", { staff: "bea" })] },
      ["staff_cannot_perform"],
    ],
    [
      "a staff member who is not bookable",
      { services: [serviceRequest("cut", { staff: "zoe" })] },
      ["staff_cannot_perform"],
    ],
    [
      "a staff member who does not perform the variant",
      { services: [serviceRequest("cut", { variant: "by-ann", staff: "bea" })] },
      ["staff_cannot_perform"],
    ],
    [
      "a staff member for a service without staff",
      { services: [serviceRequest("sauna", { staff: "ann" })] },
      ["staff_cannot_perform"],
    ],
    [
      "more guests than a session takes",
      { services: [serviceRequest("yoga")], guests: 9 },
      ["party_too_large"],
    ],
    [
      "two guests for an individual service",
      { services: [serviceRequest("cut")], guests: 2 },
      ["party_too_large"],
    ],
    ["a party larger than every open table", { partySize: 9 }, ["party_too_large"]],
    ["a closed area", { partySize: 2, area: "terrace" }, ["resource_not_found", "party_too_large"]],
    [
      "several issues, all reported together",
      {
        services: [
          serviceRequest("perm"),
          serviceRequest("advice"),
          serviceRequest("yoga", { staff: "bea" }),
        ],
      },
      ["resource_not_found", "service_not_bookable", "staff_cannot_perform"],
    ],
  ])("a request is rejected for %s", (_, fields, codes) => {
    const error = refusalOf(() => plan(fields));
    expect(error.issues.map(({ code }) => code)).toEqual(codes);
    expect(error.code).toBe(codes[0]);
    expect(error.message).toBe(error.issues[0]?.detail);
  });
});

function refusalOf(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("The request was accepted.");
}
