import { expect, test } from "vitest";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import { sampleEvent } from "../../../src/domain/webhooks/sample-event.ts";
import {
  buildArea,
  buildCatalog,
  buildService,
  buildStaffMember,
  buildTable,
} from "../../support/catalog-builders.ts";

const NOW = Date.parse("2026-11-20T12:30:00Z");
const STARTS_AT = "2026-11-21T08:00:00-05:00";

const sampleOf = (type: Parameters<typeof sampleEvent>[0]) => {
  const catalog = buildCatalog({
    service: [buildService("cut", { durationMin: 30, priceCents: 4000, staff: ["mia"] })],
    staff: [buildStaffMember("mia")],
    area: [buildArea("terrace")],
    table: [buildTable("t1", { area: "terrace", maxSeats: 4 })],
  });
  const publicCatalog = toPublicCatalog(
    {
      catalog,
      versionOf: () => ({ version: 1, updatedAt: NOW }),
      sortOrderOf: () => 0,
      stock: { soldOut: new Map(), taken: new Map() },
    },
    NOW,
  );
  const state = { catalog, publicCatalog, at: NOW };
  return sampleEvent(type, state, { id: "biz_1", catalogVersion: 3 }, NOW)?.object;
};

test("a sample booking has one segment with the first service and its staff member", () => {
  const span = { startsAt: STARTS_AT, endsAt: "2026-11-21T08:30:00-05:00" };
  expect(sampleOf("booking.created")).toMatchObject({
    id: "bkg_sample",
    status: "CONFIRMED",
    ...span,
    segments: [
      {
        serviceId: expect.stringMatching(/^svc_/),
        staffId: expect.stringMatching(/^stf_/),
        priceCents: 4000,
        ...span,
      },
    ],
    totalCents: 4000,
  });
});

test("a sample reservation seats the largest party of the first table", () => {
  expect(sampleOf("reservation.cancelled")).toMatchObject({
    id: "rsv_sample",
    status: "CANCELLED",
    startsAt: STARTS_AT,
    endsAt: "2026-11-21T09:30:00-05:00",
    partySize: 4,
    areaId: expect.stringMatching(/^are_/),
    tableId: expect.stringMatching(/^tbl_/),
  });
});
