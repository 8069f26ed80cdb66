import { setImmediate as nextTurn } from "node:timers/promises";
import { appendEvents } from "../../../../src/app/events.ts";
import type { Runtime } from "../../../../src/app/runtime.ts";
import { catalogChangedEvent } from "../../../../src/domain/public/catalog-changed.ts";
import type { EventType } from "../../../../src/domain/events/event-types.ts";
import { createPartner } from "../../../../src/features/partners/partners.ts";
import type { BusinessRow } from "../../../../src/store/businesses.ts";
import { createTestApp } from "../../../support/app.ts";
import { addBusiness, buildEventDraft } from "../../../support/delivery.ts";

type Settings = Partial<Parameters<typeof createPartner>[1]>;

/** Creates a partner that may read catalogs and manage webhooks. */
export const createTestPartner = (
  rt: Runtime,
  businesses: readonly BusinessRow[],
  settings: Settings = {},
) =>
  createPartner(rt, {
    name: "aggregator",
    businesses,
    coversAll: false,
    coversFuture: false,
    scopes: ["services.read", "webhooks.read", "webhooks.write"],
    eventGroups: ["catalog"],
    cidrs: [],
    limitMinute: 1_000_000,
    limitHour: 1_000_000,
    totalMinute: 1_000_000,
    totalHour: 1_000_000,
    maxEndpoints: 10,
    maxHolds: 20,
    maxBookingsDay: 200,
    ...settings,
  });

export const addBusinesses = (rt: Runtime, slugs: readonly string[]): BusinessRow[] =>
  slugs.map((slug) => addBusiness(rt, slug));

/** Publishes an event of a business, by default that its catalog has changed. */
export const publish = (rt: Runtime, business: BusinessRow, type: EventType = "catalog.changed") =>
  rt.tx(() =>
    appendEvents(rt, business, [
      type === "catalog.changed"
        ? catalogChangedEvent([], [business.id], { from: 1, to: 2 })
        : buildEventDraft(type),
    ]),
  );

export type Answer<Data> = {
  status: number;
  headers: Headers;
  data: Data[];
  page: { hasMore: boolean; nextCursor: string };
  meta: { cursor: string; count: number; sequences: number[] };
  code: string;
};

/** Returns a client of the API with the key of a partner. */
export function createClient(rt: Runtime, secret: string) {
  const app = createTestApp(rt);
  return async <Data>(path: string, init: RequestInit = {}): Promise<Answer<Data>> => {
    // A commit is noticed in a later iteration of the event loop.
    await nextTurn();
    const response = await app.request(`/v1/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...init.headers },
    });
    const text = await response.text();
    const body = text === "" ? {} : (JSON.parse(text) as object);
    return { status: response.status, headers: response.headers, ...body } as Answer<Data>;
  };
}
