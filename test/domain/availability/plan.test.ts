import { describe, expect, test } from "vitest";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { AppError } from "../../../src/domain/errors.ts";
import {
  buildAddonLink,
  buildAddon,
  buildStaffMember,
  buildService,
  buildVariant,
} from "../../support/catalog-builders.ts";
import { createShop, resolvedRequest, type RequestFields, serviceRequest } from "./requests.ts";
import { anArea, aTable } from "./documents.ts";

const NOW = Date.parse("2026-11-20T12:00:30Z");

const shop = createShop({
  service: [
    buildService("cut", {
      durationMin: 60,
      priceCents: 8000,
      staff: ["bea", "ann", "zoe", "old"],
      bookingRules: { slotIntervalMin: 20, minNoticeMin: 120, maxAdvanceDays: null },
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
      bookingRules: { slotIntervalMin: 60, minNoticeMin: 30, maxAdvanceDays: 7 },
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
  area: [anArea("in"), anArea("terrace", { status: "INACTIVE" })],
  table: [
    aTable("long", { maxSeats: 8, minSeats: 4 }),
    aTable("t2", { maxSeats: 2 }),
    aTable("t1", { maxSeats: 2, area: "in" }),
    aTable("out", { maxSeats: 12, area: "terrace" }),
  ],
  schedule: {
    turnTimes: [
      { upTo: 4, min: 120 },
      { upTo: 2, min: 90 },
    ],
  },
  policy: { maxAdvanceDays: 90 },
});

const plan = (wanted: RequestFields) =>
  planResolvedRequest(shop, resolvedRequest({ on: "2026-11-23", ...wanted }), NOW);

const optionsOf = (wanted: RequestFields) =>
  plan(wanted).segments[0]?.candidates.map(
    ({ staff, table, durationMin, priceCents }) =>
      `${staff?.key ?? table?.key ?? "nobody"} ${durationMin} ${priceCents}`,
  );

describe("who can do what, for how long and for how much", () => {
  test.each<[string, RequestFields, string[]]>([
    [
      "the default variant, with the add-on that is required; a person's own time goes before the variant's",
      { services: [serviceRequest("cut")] },
      ["ann 105 10000", "bea 85 10000"],
    ],
    [
      "an add-on as often as it is asked for",
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
      "a variant that only some perform",
      { services: [serviceRequest("cut", { variant: "by-ann" })] },
      ["ann 60 3500"],
    ],
    [
      "the one who is asked for",
      { services: [serviceRequest("cut", { staff: "bea" })] },
      ["bea 85 10000"],
    ],
    ["nobody, where nobody is needed", { services: [serviceRequest("sauna")] }, ["nobody 30 3000"]],
    ["the smallest table first", { partySize: 2 }, ["t1 90 0", "t2 90 0"]],
    ["a larger party for longer", { partySize: 4 }, ["long 120 0"]],
    ["the longest turn for parties larger than any rule", { partySize: 7 }, ["long 120 0"]],
    ["tables of one area", { partySize: 2, area: "in" }, ["t1 90 0"]],
  ])("%s", (_, wanted, expected) => {
    expect(optionsOf(wanted)).toEqual(expected);
  });
});

test("a visit is sold at the variant's terms, or at those of whoever is asked for", () => {
  const terms = (staff: string | null) =>
    plan({ services: [serviceRequest("cut", { staff }), serviceRequest("sauna")] }).segments.map(
      (s) => `${s.durationMin} ${s.priceCents}`,
    );
  expect(terms(null)).toEqual(["105 10000", "30 3000"]);
  expect(terms("bea")).toEqual(["85 10000", "30 3000"]);
});

test("the rules of a visit are the strictest of its services, its grid the first one's", () => {
  const visit = plan({
    services: [serviceRequest("cut"), serviceRequest("yoga"), serviceRequest("sauna")],
  });
  expect(visit.intervalMin).toBe(20);
  // 12:01, the first whole minute, and the two hours that the cut wants.
  expect(visit.earliestMin * 60_000).toBe(Date.parse("2026-11-20T14:01:00Z"));
  expect(visit.horizonDay - visit.firstDay).toBe(4);
});

describe("what cannot be asked", () => {
  test.each<[string, RequestFields, string[]]>([
    ["a service that there is not", { services: [serviceRequest("perm")] }, ["resource_not_found"]],
    [
      "a service that is not for booking",
      { services: [serviceRequest("advice")] },
      ["service_not_bookable"],
    ],
    [
      "a service that is no longer there",
      { services: [serviceRequest("old-perm")] },
      ["service_not_bookable"],
    ],
    [
      "a variant of another service",
      { services: [serviceRequest("sauna", { variant: "long" })] },
      ["variant_service_mismatch"],
    ],
    [
      "a variant that is hidden",
      { services: [serviceRequest("cut", { variant: "gone" })] },
      ["variant_service_mismatch"],
    ],
    [
      "an add-on of another service",
      { services: [serviceRequest("sauna", { addons: [{ addon: "wash", quantity: 1 }] })] },
      ["addon_not_linked"],
    ],
    [
      "an add-on that is hidden",
      { services: [serviceRequest("cut", { addons: [{ addon: "retired", quantity: 1 }] })] },
      ["addon_not_linked"],
    ],
    [
      "an add-on too often",
      { services: [serviceRequest("cut", { addons: [{ addon: "tone", quantity: 4 }] })] },
      ["validation_failed"],
    ],
    [
      "an add-on not at all",
      { services: [serviceRequest("cut", { addons: [{ addon: "wash", quantity: 0 }] })] },
      ["validation_failed"],
    ],
    [
      "somebody who does not perform it",
      { services: [serviceRequest("yoga", { staff: "bea" })] },
      ["staff_cannot_perform"],
    ],
    [
      "somebody who cannot be booked",
      { services: [serviceRequest("cut", { staff: "zoe" })] },
      ["staff_cannot_perform"],
    ],
    [
      "somebody who does not perform the variant",
      { services: [serviceRequest("cut", { variant: "by-ann", staff: "bea" })] },
      ["staff_cannot_perform"],
    ],
    [
      "somebody where nobody is needed",
      { services: [serviceRequest("sauna", { staff: "ann" })] },
      ["staff_cannot_perform"],
    ],
    [
      "more guests than a class takes",
      { services: [serviceRequest("yoga")], guests: 9 },
      ["party_too_large"],
    ],
    [
      "two for an appointment",
      { services: [serviceRequest("cut")], guests: 2 },
      ["party_too_large"],
    ],
    ["a larger party than any open table seats", { partySize: 9 }, ["party_too_large"]],
    ["a closed area", { partySize: 2, area: "terrace" }, ["resource_not_found", "party_too_large"]],
    [
      "several mistakes, all told at once",
      {
        services: [
          serviceRequest("perm"),
          serviceRequest("advice"),
          serviceRequest("yoga", { staff: "bea" }),
        ],
      },
      ["resource_not_found", "service_not_bookable", "staff_cannot_perform"],
    ],
  ])("%s", (_, wanted, codes) => {
    const error = refusalOf(() => plan(wanted));
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
  throw new Error("It was answered.");
}
