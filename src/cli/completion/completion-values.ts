import { PRESETS, SHELLS } from "../../assets.ts";
import { SCOPES } from "../../domain/api-key.ts";
import type { Kind } from "../../domain/catalog/catalog.ts";
import { EVENT_TYPES } from "../../domain/event-types.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Candidate } from "./complete.ts";

/** Of what only grows, the newest so many. */
const NEWEST = 50;

const plain = (values: readonly string[]): Candidate[] =>
  values.map((value) => ({ value, about: "" }));

/** Values that are known without any data. */
const FIXED: Record<string, Candidate[]> = {
  "keys --scope": plain(SCOPES),
  "webhooks --event": plain(["all", ...EVENT_TYPES]),
  "deliveries --event": plain(EVENT_TYPES),
  "events <type>": plain(EVENT_TYPES),
  "events --type": plain(EVENT_TYPES),
  "seed [what]": plain([...PRESETS, "all"]),
  "completion <shell>": plain(SHELLS),
};

type Lister = (rt: Runtime, business: BusinessRow | undefined) => Candidate[];

/** The author's keys of a business, or of all of them while none is named. */
const objects =
  (kind: Kind): Lister =>
  (rt, business) =>
    (business ? [business] : rt.store.businesses.list())
      .flatMap(({ id }) => rt.store.catalog.listByKind(id, kind))
      .map(({ key, name }) => ({ value: key, about: name }));

const slugs: Lister = (rt) =>
  rt.store.businesses.list().map(({ slug, doc }) => ({ value: slug, about: doc.name }));

const keys: Lister = (rt, business) =>
  rt.store.keys
    .list(business?.id)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name }) => ({ value: id, about: name }));

const endpoints: Lister = (rt, business) =>
  rt.store.endpoints
    .list(business?.id)
    .map(({ id, name, url }) => ({ value: id, about: `${name} ${url}` }));

const deliveries: Lister = (rt, business) =>
  rt.store.deliveries
    .list({ businessId: business?.id }, NEWEST)
    .map(({ id, eventType, status }) => ({
      value: id,
      about: `${eventType} ${status.toLowerCase()}`,
    }));

const events: Lister = (rt, business) =>
  rt.store.events
    .list({ businessId: business?.id }, NEWEST)
    .map(({ id, type }) => ({ value: id, about: type }));

/** What belongs to one business alone. */
const ofOne =
  (list: (rt: Runtime, business: BusinessRow) => Candidate[]): Lister =>
  (rt, business) => {
    const all = rt.store.businesses.list();
    const only = business ?? (all.length === 1 ? all[0] : undefined);
    return only ? list(rt, only) : [];
  };

const bookings = ofOne((rt, { id: businessId }) =>
  rt.store.bookings
    .list({ businessId }, NEWEST)
    .map(({ id, status }) => ({ value: id, about: status.toLowerCase() })),
);
const reservations = ofOne((rt, { id: businessId }) =>
  rt.store.reservations.list({ businessId }, NEWEST).map(({ id, partySize, status }) => ({
    value: id,
    about: `for ${partySize}, ${status.toLowerCase()}`,
  })),
);
const orders = ofOne((rt, { id: businessId }) =>
  rt.store.orders
    .list({ businessId }, NEWEST)
    .map(({ code, status }) => ({ value: code, about: status.toLowerCase() })),
);
const absences = ofOne((rt, { id }) =>
  rt.store.timeOff
    .listEndingAfter(id, rt.now())
    .map(({ id, reason }) => ({ value: id, about: reason ?? "" })),
);

/** By the noun and the place; by the place alone where every noun means the same by it. */
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
  "orders --event": objects("public_event"),
  "tickets --event": objects("public_event"),
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

export const fixedValues = (asked: string): Candidate[] => FIXED[asked] ?? [];

export const listerFor = (asked: string): Lister | undefined =>
  LIVE[asked] ?? LIVE[asked.slice(asked.indexOf(" ") + 1)];
