import { createKey } from "../../../src/app/keys.ts";
import type { NewKey } from "../../../src/app/keys.ts";
import type { Scope } from "../../../src/domain/api-key.ts";
import { businessId, objectId } from "../../../src/domain/catalog/object-id.ts";
import { ticketTypeId } from "../../../src/domain/public/public-event.ts";
import type { BusinessRow } from "../../../src/store/businesses.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createTestApp } from "../../support/app.ts";
import { seedShop, shopId, SHOP_SLUG } from "../../support/shop.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

// Opens the shop of support/shop.ts with a concert, and clients of its API.

export const SHOP_PATH = `/v1/businesses/${SHOP_SLUG}`;
/** Returns a time on a Monday on which both staff members work from 9 to 12. */
export const monday = (time: string): string => `2026-11-23T${time}:00+00:00`;
export const CUT = { serviceId: shopId("svc", "cut") };
/** The header of a catalog file that changes the shop. */
export const HEADER = `
catalog: 1
business:
  slug: shop
  name: The Shop
  timezone: Europe/Lisbon
  currency: EUR
  bookingPolicy: { slotIntervalMin: 60, minNoticeMin: 60, maxAdvanceDays: 30, maxGapMin: 0 }
`;
const CONCERT = `${HEADER}events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: 2026-12-05T19:00
    durationMin: 120
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }]
    quotas: [{ key: room, size: 20, ticketTypes: [seat] }]
`;

export type Body = {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it with what they expect
  data: any;
  page: { hasMore: boolean; nextCursor: string | null };
  code: string;
  detail: string;
  errors: { code: string; pointer?: string; parameter?: string }[];
  [member: string]: unknown;
};
/** A response with its body as text and, if it has one, parsed. */
export type SentResponse = { status: number; headers: Headers; body: Body; text: string };
export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string | undefined>,
) => Promise<SentResponse>;
export type Client = { id: string; secret: string; send: Send };

const NO_LIMITS = { limitMinute: 1_000_000, limitHour: 1_000_000, maxBookingsDay: 1_000_000 };
let requestCount = 0;

/** Opens the API over the shop, with clients for a website and for the owner. */
export function openBookingShop(rt: TestRuntime = createTestRuntime()) {
  seedShop(rt);
  applyCatalog(rt, [{ name: "concert.yaml", text: CONCERT }]);
  const app = createTestApp(rt);
  const createClient = (scopes: Scope[] | null, fields: Partial<NewKey> = {}): Client => {
    const { key, secret } = createKey(rt, {
      businessId: businessId(SHOP_SLUG),
      name: "site",
      kind: scopes === null ? "SECRET" : "RESTRICTED",
      scopes: scopes ?? [],
      ...NO_LIMITS,
      ...fields,
    });
    const send: Send = async (method, path, body, headers = {}) => {
      requestCount += 1;
      const response = await app.request(SHOP_PATH + path, {
        method,
        headers: withoutUndefined({
          authorization: `Bearer ${secret}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(method === "POST" && { "idempotency-key": `request-${requestCount}` }),
          ...headers,
        }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: (text === "" ? {} : JSON.parse(text)) as Body,
        text,
      };
    };
    return { id: key.id, secret, send };
  };
  return {
    rt,
    business: (): BusinessRow => getBusiness(rt, SHOP_SLUG),
    createClient,
    site: createClient(["services.read", "bookings.write", "tickets.write"]),
    owner: createClient(null),
  };
}

const withoutUndefined = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );

export const visit = (time: string, more: object = {}) => ({
  startsAt: monday(time),
  segments: [CUT],
  ...more,
});

export function concertIds(rt: Runtime): { eventId: string; ticketTypeId: string } {
  const { id } = getBusiness(rt, SHOP_SLUG);
  const event = rt.store.catalog.findByKeyOrId(id, "public_event", "gala")!;
  return {
    eventId: objectId("public_event", SHOP_SLUG, event),
    ticketTypeId: ticketTypeId(SHOP_SLUG, event, event.ticketTypes[0]!),
  };
}

export function orderOf(rt: TestRuntime, quantity = 2) {
  const { eventId, ticketTypeId } = concertIds(rt);
  return { eventId, items: [{ ticketTypeId, quantity }] };
}

/** Returns a text such as `409 slot_taken TAKEN`. */
export const problem = ({ status, body: { code, reason } }: SentResponse): string =>
  [status, code, ...(reason === undefined ? [] : [reason])].join(" ");
