import { expect, test } from "vitest";
import type { PublicEventDoc, TicketTypeDoc } from "../../../src/domain/catalog/catalog.ts";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import { ticketTypeId } from "../../../src/domain/public/public-event.ts";
import { buildCatalog, buildPublicEvent, buildTicketType } from "../../support/catalog-builders.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

test.each<
  [state: string, when: string, type: Partial<TicketTypeDoc>, event?: Partial<PublicEventDoc>]
>([
  ["ON_SALE", "without times of sale", {}],
  ["ON_SALE", "before the end of the sale", { salesEndAt: NOW + 1 }],
  ["ENDED", "at the end of the sale", { salesEndAt: NOW }],
  ["NOT_YET", "before the start of the sale", { salesStartAt: NOW + 1 }],
  ["ON_SALE", "at the start of the sale", { salesStartAt: NOW }],
  ["ENDED", "at the end of the event", {}, { startsAt: NOW - 1, endsAt: NOW }],
  ["ON_SALE", "before the end of the event", {}, { startsAt: NOW - 1, endsAt: NOW + 1 }],
])("the sale of a ticket is %s %s", (state, _when, type, event = {}) => {
  const ticketTypes = [buildTicketType("adult", type)];
  const catalog = buildCatalog({
    public_event: [buildPublicEvent("jazz", { ticketTypes, ...event })],
  });
  const { events } = toPublicCatalog(
    {
      catalog,
      versionOf: () => ({ version: 1, updatedAt: NOW }),
      sortOrderOf: () => 0,
      stock: { soldOut: new Map(), taken: new Map() },
    },
    NOW,
  );
  expect(events[0]?.ticketTypes[0]?.availability.state).toBe(state);
});

test("a ticket type's remaining tickets are its quota's size minus the tickets taken of all types in the quota", () => {
  const event = buildPublicEvent("jazz", {
    ticketTypes: [
      buildTicketType("adult", { showRemaining: true }),
      buildTicketType("child", { showRemaining: true }),
    ],
    quotas: [{ key: "seats", size: 100, ticketTypes: ["adult", "child"] }],
  });
  const catalog = buildCatalog({ public_event: [event] });
  const [adult] = event.ticketTypes;
  const remaining = (...taken: [string, number][]) => {
    const { events } = toPublicCatalog(
      {
        catalog,
        versionOf: () => ({ version: 1, updatedAt: NOW }),
        sortOrderOf: () => 0,
        stock: { soldOut: new Map(), taken: new Map(taken) },
      },
      NOW,
    );
    const [{ availability, ticketTypes } = { availability: undefined, ticketTypes: [] }] = events;
    return [availability, ...ticketTypes.map((type) => type.availability)];
  };
  const all = { state: "ON_SALE", remaining: 100 };
  expect(remaining()).toEqual([all, all, all]);
  const few = { state: "FEW_LEFT", remaining: 4 };
  const id = ticketTypeId(catalog.business.slug, event, adult!);
  expect(remaining([id, 96])).toEqual([few, few, few]);
});
