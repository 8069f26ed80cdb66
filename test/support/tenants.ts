import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { createKey, type NewKey, revokeKey, rotateKey } from "../../src/app/keys.ts";
import { createTicketOrder } from "../../src/app/bookings/ticket-orders.ts";
import { createReservation } from "../../src/app/bookings/reservations.ts";
import { SCOPES, type Scope } from "../../src/domain/api-key.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { EVENT_TYPES } from "../../src/domain/event-types.ts";
import { catalogId } from "../../src/domain/ids.ts";
import type { Send } from "../../src/domain/webhooks/webhook-post.ts";
import { encodeChangeCursor } from "../../src/http/handlers/changes/change-cursor.ts";
import { encodeCursor } from "../../src/http/pipeline/cursor.ts";
import { createTestWorker } from "./delivery.ts";
import type { TestRuntime } from "./test-runtime.ts";

// Many businesses in one box, which have everything that a business can have and a mark of their own in every text.

export type TenantKey = {
  what: string;
  id: string;
  secret: string;
  scopes: readonly Scope[];
  opens: boolean;
};

export type Tenant = {
  id: string;
  slug: string;
  mark: string;
  keys: TenantKey[];
  /** An id of its own of this kind. */
  own: (prefix: string) => string;
  /** All that names it, or anything that it has. */
  names: Set<string>;
  /** Where one of its lists goes on, and its feed. */
  cursors: { of: (list: string) => string; feed: string };
};

const ID = /\b[a-z]{3}_[0-9a-z]{20,25}\b/g;
/** Whatever can be one of a tenant's names, in any text. */
export const TENANT_NAME = new RegExp(
  `${ID.source}|mark\\d{3}of|shop-\\d{3}|whsec_[\\w=]+|deskbell_[sr]k_\\w+`,
  "g",
);
/** Of the right kind and length, and nobody's. */
export const unknownId = (prefix: string): string =>
  `${prefix}_${"7".repeat(["whe", "dlv"].includes(prefix) ? 25 : 20)}`;

const NO_LIMITS = { limitMinute: 1_000_000_000, limitHour: 1_000_000_000 };
const DAY_MS = 86_400_000;

const catalogOf = (slug: string, mark: string): string => `
catalog: 1
business:
  { slug: ${slug}, name: Shop ${mark}, timezone: Europe/Lisbon, currency: EUR, locale: en, locales: [en, de], description: About ${mark} }
hours: [{ days: [mon-sun], start: "09:00", end: "18:00" }]
serviceCategories: [{ key: cuts, name: Cuts ${mark}, description: Of ${mark} }]
addons: [{ key: wash, name: Wash ${mark}, price: 5.00, durationMin: 10 }]
staff: [{ key: ann, name: Ann ${mark}, title: Head of ${mark}, bio: Life of ${mark} }]
services:
  - key: cut
    name: Cut ${mark}
    category: cuts
    durationMin: 60
    price: 40.00
    staff: [ann]
    addons: [wash]
    tags: [${mark}]
    images: [{ url: "https://${mark}.example/cut.jpg", alt: Picture ${mark}, width: 10, height: 10 }]
    variants: [{ key: long, name: Long ${mark}, durationMin: 90, price: 60.00 }]
    translations: { de: { name: Schnitt ${mark} } }
  - { key: dye, name: Dye ${mark}, durationMin: 60, price: 70.00, staff: [ann] }
menu:
  categories: [{ key: mains, name: Mains ${mark} }]
  modifierGroups: [{ key: extras, name: Extras ${mark}, min: 0, max: 1, options: [{ key: hot, name: Hot ${mark}, price: 1.00 }] }]
  items:
    - { key: soup, name: Soup ${mark}, description: From ${mark}, categories: [mains], price: 9.00, modifierGroups: [extras], sku: ${mark} }
    - { key: stew, name: Stew ${mark}, categories: [mains], price: 12.00 }
promotions:
  - { key: deal, name: Deal ${mark}, benefit: { type: percent_off, percent: 10 }, appliesTo: { services: [cut] } }
events:
  - key: gala
    name: Gala ${mark}
    slug: gala-${mark}
    startsIn: "9d 19:00"
    durationMin: 120
    status: PUBLISHED
    venue: { name: Hall ${mark} }
    ticketTypes: [{ key: seat, name: Seat ${mark}, kind: PAID, price: 20.00, maxPerOrder: 4 }]
areas: [{ key: terrace, name: Terrace ${mark} }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4, area: terrace }]
turnTimes: [{ upTo: 4, min: 60 }]
`;

/** @param upTo how many keys each has; no fewer than one of each sort */
export async function createTenants(rt: TestRuntime, count: number, upTo = 0): Promise<Tenant[]> {
  const tenants = Array.from({ length: count }, (_, n) =>
    openBusiness(rt, String(n).padStart(3, "0"), upTo),
  );
  // Receivers tell something of their own, which is kept: half of them fail.
  const send: Send = ({ url }) => {
    const responseText = `hello from ${url}`;
    return Promise.resolve({
      kind: "responded",
      statusCode: url.includes("fails") ? 500 : 200,
      retryAfter: null,
      responseText,
    });
  };
  const courier = createTestWorker(rt, send);
  const endpoints = await Promise.all(tenants.map((tenant) => subscribeBoth(rt, tenant)));
  tenants.forEach((tenant) => haveDay(rt, tenant));
  courier.wake();
  await courier.whenIdle();
  tenants.forEach((tenant, i) => collectNames(rt, tenant, endpoints[i] ?? []));
  return tenants;
}

function openBusiness(rt: TestRuntime, number: string, upTo: number): Tenant {
  const slug = `shop-${number}`;
  const mark = `mark${number}of`;
  applyCatalog(rt, [{ name: "catalog.yaml", text: catalogOf(slug, mark) }], {
    seedingAt: rt.now(),
  });
  const id = businessId(slug);
  const names = new Set([id, slug, mark]);
  const own = (prefix: string): string => {
    if (prefix === "are") return catalogId("are", slug, "terrace");
    const found = [...names].find((name) => name.startsWith(`${prefix}_`));
    if (found === undefined) throw new Error(`${slug} has nothing of the kind ${prefix}`);
    return found;
  };
  const cursors = {
    of: (list: string) =>
      encodeCursor(list, { sortOrder: 0, id: own(list.endsWith("deliveries") ? "dlv" : "svc") }),
    feed: encodeChangeCursor(id, 1),
  };
  return { id, slug, mark, own, names, cursors, keys: mintKeys(rt, id, mark, upTo) };
}

function mintKeys(rt: TestRuntime, business: string, mark: string, upTo: number): TenantKey[] {
  const mint = (what: string, fields: Partial<NewKey> = {}, opens = true): TenantKey => {
    const { key, secret } = createKey(rt, {
      businessId: business,
      name: `${what} ${mark}`,
      kind: "SECRET",
      scopes: [],
      ...NO_LIMITS,
      ...fields,
    });
    return { what, id: key.id, secret, scopes: key.scopes, opens };
  };
  const restricted = (scopes: Scope[]) =>
    mint(`restricted to ${scopes.join(" ")}`, { kind: "RESTRICTED", scopes });
  const rotated = mint("rotated, still overlapping");
  const newer = {
    ...rotated,
    what: "rotated, the newer",
    secret: rotateKey(rt, rotated.id, 7 * DAY_MS).secret,
  };
  const dead = mint("rotated, overlap over", {}, false);
  rotateKey(rt, dead.id, 0);
  const revoked = mint("revoked", {}, false);
  revokeKey(rt, revoked.id);
  const keys = [
    mint("secret"),
    ...subsets(SCOPES).map(restricted),
    rotated,
    newer,
    dead,
    revoked,
    mint("expired", { expiresAt: rt.now() + 1 }, false),
    mint("from elsewhere only", { cidrs: ["203.0.113.0/24"] }, false),
    mint("from here only", { cidrs: ["127.0.0.0/8", "10.0.0.0/8"] }),
  ];
  while (keys.length < upTo)
    keys.push(keys.length % 2 ? mint("secret") : restricted([...SCOPES].slice(keys.length % 3)));
  return keys;
}

const subsets = (scopes: readonly Scope[]): Scope[][] =>
  Array.from({ length: 2 ** scopes.length - 1 }, (_, n) =>
    scopes.filter((_, bit) => (n + 1) & (1 << bit)),
  );

/** One endpoint that a restricted key made and one that the terminal made; one of them fails. */
async function subscribeBoth(rt: TestRuntime, { id, mark, keys }: Tenant): Promise<string[]> {
  const writer = keys.find(({ what }) => what === "restricted to webhooks.write");
  const subscribe = async (keyId: string | null, url: string): Promise<string> => {
    const { endpoint, secret } = await createEndpoint(rt, {
      businessId: id,
      keyId,
      name: `Website ${mark}`,
      url,
      events: EVENT_TYPES,
      allowPrivate: true,
    });
    return `${endpoint.id} ${secret}`;
  };
  return [
    await subscribe(writer?.id ?? null, `http://10.0.0.1/${mark}`),
    await subscribe(null, `http://10.0.0.1/${mark}/fails`),
  ];
}

function haveDay(rt: TestRuntime, { slug, mark }: Tenant): void {
  createBooking(rt, slug, {
    service: "cut",
    start: "2026-11-23T10:00",
    customerRef: `guest ${mark}`,
  });
  createReservation(rt, slug, {
    party: 2,
    start: "2026-11-23T12:00",
    customerRef: `party ${mark}`,
  });
  createTicketOrder(rt, slug, { event: "gala", items: ["seat*2"], customerRef: `fan ${mark}` });
}

function collectNames(rt: TestRuntime, { id, keys, names }: Tenant, endpoints: string[]): void {
  const add = (text: string) => text.match(ID)?.forEach((name) => names.add(name));
  for (const { body } of rt.store.events.listAfter(id, 0, 10_000)) add(body.toString());
  for (const { id: key, secret } of keys) names.add(key).add(secret);
  for (const endpoint of endpoints) {
    for (const name of endpoint.split(" ")) names.add(name);
    for (const delivery of rt.store.deliveries.list(
      { endpointId: endpoint.split(" ")[0] ?? "" },
      10_000,
    ))
      names.add(delivery.id);
  }
}
