import { PRESETS, SHELLS } from "../../assets.ts";
import { SCOPES } from "../../domain/api-key.ts";
import type { Kind } from "../../domain/catalog/catalog.ts";
import { EVENT_TYPES } from "../../domain/event-types.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Candidate } from "./complete.ts";

/** Maximum suggestions for append-only lists, newest first. */
const MAX_NEWEST = 50;

const candidate = (value: string, about = ""): Candidate => ({ value, about });
const plain = (values: readonly string[]): Candidate[] => values.map((value) => candidate(value));

const FIXED: Record<string, Candidate[]> = {
  "keys --scope": plain(SCOPES),
  "webhooks --event": plain(["all", ...EVENT_TYPES]),
  "deliveries --event": plain(EVENT_TYPES),
  "events <type>": plain(EVENT_TYPES),
  "events --type": plain(EVENT_TYPES),
  "seed [source]": plain([...PRESETS, "all"]),
  "completion <shell>": plain(SHELLS),
};

type Lister = (rt: Runtime, business: BusinessRow | undefined) => Candidate[];

const objects =
  (kind: Kind): Lister =>
  (rt, business) =>
    (business ? [business] : rt.store.businesses.list())
      .flatMap(({ id }) => rt.store.catalog.listByKind(id, kind))
      .map(({ key, name }) => candidate(key, name));

const slugs: Lister = (rt) =>
  rt.store.businesses.list().map(({ slug, doc }) => candidate(slug, doc.name));

const keys: Lister = (rt, business) =>
  rt.store.keys
    .list(business?.id)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name }) => candidate(id, name));

const endpoints: Lister = (rt, business) =>
  rt.store.endpoints.list(business?.id).map(({ id, name, url }) => candidate(id, `${name} ${url}`));

const deliveries: Lister = (rt, business) =>
  rt.store.deliveries
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, eventType, status }) => candidate(id, `${eventType} ${status.toLowerCase()}`));

const events: Lister = (rt, business) =>
  rt.store.events
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, type }) => candidate(id, type));

/** Lists values only if the business is clear: the named one or the only one. */
const perBusiness =
  (list: (store: Runtime["store"], businessId: string, now: number) => Candidate[]): Lister =>
  (rt, business) => {
    const [only, ...others] = business ? [business] : rt.store.businesses.list();
    return only && others.length === 0 ? list(rt.store, only.id, rt.now()) : [];
  };

const bookings = perBusiness((store, businessId) =>
  store.bookings
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, status }) => candidate(id, status.toLowerCase())),
);
const reservations = perBusiness((store, businessId) =>
  store.reservations
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, partySize, status }) => candidate(id, `for ${partySize}, ${status.toLowerCase()}`)),
);
const orders = perBusiness((store, businessId) =>
  store.orders
    .list({ businessId }, MAX_NEWEST)
    .map(({ code, status }) => candidate(code, status.toLowerCase())),
);
const absences = perBusiness((store, businessId, now) =>
  store.timeOff
    .listEndingAfter(businessId, now)
    .map(({ id, reason }) => candidate(id, reason ?? "")),
);

/** By noun and argument or flag; by the latter alone if it means the same for every noun. */
const LIVE: Record<string, Lister> = {
  "--business": slugs,
  "businesses <slug>": slugs,
  "businesses [slug]": slugs,
  "<service>": objects("service"),
  "--service": objects("service"),
  "--addon": objects("addon"),
  "<staff>": objects("staff"),
  "--staff": objects("staff"),
  "--area": objects("area"),
  "--table": objects("table"),
  "<dish>": objects("menu_item"),
  "<promotion>": objects("promotion"),
  "<public-event>": objects("public_event"),
  "--public-event": objects("public_event"),
  "<key>": keys,
  "<endpoint>": endpoints,
  "--endpoint": endpoints,
  "<delivery>": deliveries,
  "[delivery]": deliveries,
  "events <event>": events,
  "bookings <id>": bookings,
  "reservations <id>": reservations,
  "<order>": orders,
  "--order": orders,
  "time-off <id>": absences,
};

export const fixedValues = (valueKind: string): Candidate[] => FIXED[valueKind] ?? [];

export const listerFor = (valueKind: string): Lister | undefined =>
  LIVE[valueKind] ?? LIVE[valueKind.slice(valueKind.indexOf(" ") + 1)];
