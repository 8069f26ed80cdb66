import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createBooking, createReservation } from "../../../src/app/bookings/bookings.ts";
import { createHold } from "../../../src/app/bookings/holds.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { revokeKey } from "../../../src/app/key-end.ts";
import { createKey, type NewKey, rotateKey } from "../../../src/app/keys.ts";
import { createTicketOrder } from "../../../src/features/tickets/orders/orders.ts";
import { SCOPES, type Scope } from "../../../src/domain/api-key.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { catalogId } from "../../../src/domain/ids.ts";
import type { Send } from "../../../src/domain/webhooks/webhook-post.ts";
import { encodeChangeCursor } from "../../../src/http/handlers/changes/changes.ts";
import { encodeCursor } from "../../../src/http/pipeline/business-response.ts";
import { createTestWorker } from "../../support/delivery.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";

// Creates many businesses on one server. Each has every kind of object and a marker in every text,
// so that data of one business can be recognised in the responses to another.

export type TenantKey = {
  description: string;
  id: string;
  secret: string;
  scopes: readonly Scope[];
  isAccepted: boolean;
};

export type Tenant = {
  id: string;
  slug: string;
  marker: string;
  keys: TenantKey[];
  /** Returns an ID of the business with this prefix. */
  ownId: (prefix: string) => string;
  /** Everything that identifies the business or one of its objects: IDs, secrets, the marker. */
  identifiers: Set<string>;
  cursors: { list: (list: string) => string; changes: string };
};

const ID = /\b[a-z]{3}_[0-9a-z]{20,25}\b/g;
/** Matches everything that can identify a tenant, in any text. */
export const TENANT_NAME = new RegExp(
  `${ID.source}|mark\\d{3}of|shop-\\d{3}|whsec_[\\w=]+|deskbell_[sr]k_\\w+`,
  "g",
);
/** Returns a well-formed ID that does not exist. */
export const unknownId = (prefix: string): string =>
  `${prefix}_${"7".repeat(["whe", "dlv", "evt", "hld", "bkg", "rsv", "tor"].includes(prefix) ? 25 : 20)}`;

const NO_LIMITS = {
  limitMinute: 1_000_000_000,
  limitHour: 1_000_000_000,
  maxBookingsDay: 1_000_000_000,
};
const DAY_MS = 86_400_000;

const catalogOf = (slug: string, marker: string): string => `
catalog: 1
business:
  { slug: ${slug}, name: Shop ${marker}, timezone: Europe/Lisbon, currency: EUR, locale: en, locales: [en, de], description: About ${marker} }
hours: [{ days: [mon-sun], start: "09:00", end: "18:00" }]
serviceCategories: [{ key: cuts, name: Cuts ${marker}, description: Of ${marker} }]
addons: [{ key: wash, name: Wash ${marker}, price: 5.00, durationMin: 10 }]
staff: [{ key: ann, name: Ann ${marker}, title: Head of ${marker}, bio: Life of ${marker} }]
services:
  - key: cut
    name: Cut ${marker}
    category: cuts
    durationMin: 60
    price: 40.00
    staff: [ann]
    addons: [wash]
    tags: [${marker}]
    images: [{ url: "https://${marker}.example/cut.jpg", alt: Picture ${marker}, width: 10, height: 10 }]
    variants: [{ key: long, name: Long ${marker}, durationMin: 90, price: 60.00 }]
    translations: { de: { name: Schnitt ${marker} } }
  - { key: dye, name: Dye ${marker}, durationMin: 60, price: 70.00, staff: [ann] }
menu:
  categories: [{ key: mains, name: Mains ${marker} }]
  modifierGroups: [{ key: extras, name: Extras ${marker}, min: 0, max: 1, options: [{ key: hot, name: Hot ${marker}, price: 1.00 }] }]
  items:
    - { key: soup, name: Soup ${marker}, description: From ${marker}, categories: [mains], price: 9.00, modifierGroups: [extras], sku: ${marker} }
    - { key: stew, name: Stew ${marker}, categories: [mains], price: 12.00 }
promotions:
  - { key: deal, name: Deal ${marker}, benefit: { type: percent_off, percent: 10 }, appliesTo: { services: [cut] } }
events:
  - key: gala
    name: Gala ${marker}
    slug: gala-${marker}
    startsIn: "9d 19:00"
    durationMin: 120
    status: PUBLISHED
    venue: { name: Hall ${marker} }
    ticketTypes: [{ key: seat, name: Seat ${marker}, kind: PAID, price: 20.00, maxPerOrder: 4 }]
areas: [{ key: terrace, name: Terrace ${marker} }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4, area: terrace }]
turnTimes: [{ upTo: 4, min: 60 }]
`;

/**
 * Creates businesses, each with at least one key of every kind.
 * @param minKeys the minimum number of keys of each business
 */
export async function createTenants(
  rt: TestRuntime,
  count: number,
  minKeys = 0,
): Promise<Tenant[]> {
  const tenants = Array.from({ length: count }, (_, n) =>
    createBusiness(rt, String(n).padStart(3, "0"), minKeys),
  );
  // The texts of the receivers' responses are stored, so they must not reach another business,
  // either. Half of the receivers fail.
  const send: Send = ({ url }) => {
    const responseText = `hello from ${url}`;
    return Promise.resolve({
      kind: "responded",
      statusCode: url.includes("fails") ? 500 : 200,
      retryAfter: null,
      responseText,
    });
  };
  const worker = createTestWorker(rt, send);
  const endpoints = await Promise.all(tenants.map((tenant) => createEndpoints(rt, tenant)));
  tenants.forEach((tenant) => createBookings(rt, tenant));
  worker.wake();
  await worker.whenIdle();
  tenants.forEach((tenant, i) => collectIdentifiers(rt, tenant, endpoints[i] ?? []));
  return tenants;
}

function createBusiness(rt: TestRuntime, number: string, minKeys: number): Tenant {
  const slug = `shop-${number}`;
  const marker = `mark${number}of`;
  applyCatalog(rt, [{ name: "catalog.yaml", text: catalogOf(slug, marker) }], {
    seedingAt: rt.now(),
  });
  const id = businessId(slug);
  const identifiers = new Set([id, slug, marker]);
  const ownId = (prefix: string): string => {
    if (prefix === "are") return catalogId("are", slug, "terrace");
    const found = [...identifiers].find((text) => text.startsWith(`${prefix}_`));
    if (found === undefined) throw new Error(`${slug} has no ID with the prefix ${prefix}`);
    return found;
  };
  const cursors = {
    list: (list: string) =>
      encodeCursor(list, { sortOrder: 0, id: ownId(list.endsWith("deliveries") ? "dlv" : "svc") }),
    changes: encodeChangeCursor(rt, id, 1),
  };
  return {
    id,
    slug,
    marker,
    ownId,
    identifiers,
    cursors,
    keys: createKeys(rt, id, marker, minKeys),
  };
}

function createKeys(
  rt: TestRuntime,
  business: string,
  marker: string,
  minKeys: number,
): TenantKey[] {
  const create = (
    description: string,
    fields: Partial<NewKey> = {},
    isAccepted = true,
  ): TenantKey => {
    const { key, secret } = createKey(rt, {
      businessId: business,
      name: `${description} ${marker}`,
      kind: "SECRET",
      scopes: [],
      ...NO_LIMITS,
      ...fields,
    });
    return { description, id: key.id, secret, scopes: key.scopes, isAccepted };
  };
  const restricted = (scopes: Scope[]) =>
    create(`restricted to ${scopes.join(" ")}`, { kind: "RESTRICTED", scopes });
  const rotated = create("rotated, old secret within its overlap");
  const newer = {
    ...rotated,
    description: "rotated, new secret",
    secret: rotateKey(rt, rotated.id, 7 * DAY_MS).secret,
  };
  const expired = create("rotated, old secret after its overlap", {}, false);
  rotateKey(rt, expired.id, 0);
  const revoked = create("revoked", {}, false);
  revokeKey(rt, revoked.id);
  const keys = [
    create("secret"),
    ...SCOPE_SETS.map(restricted),
    rotated,
    newer,
    expired,
    revoked,
    create("expired", { expiresAt: rt.now() + 1 }, false),
    create("restricted to other addresses", { cidrs: ["203.0.113.0/24"] }, false),
    create("restricted to this address", { cidrs: ["127.0.0.0/8", "10.0.0.0/8"] }),
  ];
  while (keys.length < minKeys)
    keys.push(keys.length % 2 ? create("secret") : restricted([...SCOPES].slice(keys.length % 3)));
  return keys;
}

function subsets(scopes: readonly Scope[]): Scope[][] {
  return Array.from({ length: 2 ** scopes.length - 1 }, (_, n) =>
    scopes.filter((_, bit) => (n + 1) & (1 << bit)),
  );
}

/**
 * The scopes of keys: every set of the first three, and some others; all sets would be too many.
 */
const SCOPE_SETS: Scope[][] = [
  ...subsets(SCOPES.slice(0, 3)),
  ...SCOPES.slice(3).map((scope) => [scope]),
  ["bookings.write", "tickets.write"],
  ["services.read", "webhooks.read", "bookings.write", "bookings.read"],
];

/** Creates an endpoint of a restricted key, and an endpoint of the operator, which fails. */
async function createEndpoints(rt: TestRuntime, { id, marker, keys }: Tenant): Promise<string[]> {
  const writer = keys.find(({ description }) => description === "restricted to webhooks.write");
  const subscribe = async (keyId: string | null, url: string): Promise<string> => {
    const { endpoint, secret } = await createEndpoint(rt, {
      businessId: id,
      keyId,
      name: `Website ${marker}`,
      url,
      events: EVENT_TYPES,
      allowPrivate: true,
    });
    return `${endpoint.id} ${secret}`;
  };
  return [
    await subscribe(writer?.id ?? null, `http://10.0.0.1/${marker}`),
    await subscribe(null, `http://10.0.0.1/${marker}/fails`),
  ];
}

function createBookings(rt: TestRuntime, { slug, marker, keys, identifiers }: Tenant): void {
  createBooking(rt, slug, {
    service: "cut",
    start: "2026-11-23T10:00",
    customerRef: `guest ${marker}`,
  });
  createReservation(rt, slug, {
    party: 2,
    start: "2026-11-23T12:00",
    customerRef: `party ${marker}`,
  });
  createTicketOrder(rt, slug, { event: "gala", items: ["seat*2"], customerRef: `fan ${marker}` });
  const hold = rt.tx(() =>
    createHold(
      rt,
      getBusiness(rt, slug),
      { keyId: keys[0]?.id ?? "", visitor: null },
      {
        request: { partySize: 2, areaId: null },
        startsAt: Date.parse("2026-11-24T12:00:00Z"),
        ttlMs: 900_000,
      },
    ),
  );
  identifiers.add(hold.id);
}

function collectIdentifiers(
  rt: TestRuntime,
  { id, keys, identifiers }: Tenant,
  endpoints: string[],
): void {
  const add = (text: string) => text.match(ID)?.forEach((name) => identifiers.add(name));
  for (const { body } of rt.store.events.listAfter(id, 0, 10_000)) add(body.toString());
  for (const { id: key, secret } of keys) identifiers.add(key).add(secret);
  for (const endpoint of endpoints) {
    for (const name of endpoint.split(" ")) identifiers.add(name);
    for (const delivery of rt.store.deliveries.list(
      { endpointId: endpoint.split(" ")[0] ?? "" },
      10_000,
    ))
      identifiers.add(delivery.id);
  }
}
