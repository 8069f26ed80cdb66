import { SCOPES } from "../../../domain/api-key.ts";
import type { Kind } from "../../../domain/catalog/catalog.ts";
import { ALL_EVENT_TYPES } from "../../../domain/events/event-types.ts";
import {
  type Suggestion,
  suggestion,
  type Lister,
  loadLiveValues,
  MAX_NEWEST,
  perBusiness,
} from "../../../cli/live-values.ts";

const withoutTexts = (values: readonly string[]): Suggestion[] =>
  values.map((value) => suggestion(value));

/**
 * Fixed values of arguments and flags. A key such as `keys --scope` holds for one noun, and a key
 * such as `--event` for every noun without a key of its own.
 */
const FIXED: Record<string, Suggestion[]> = {
  "keys --scope": withoutTexts(SCOPES),
  "--event": withoutTexts(["all", ...ALL_EVENT_TYPES]),
  "deliveries --event": withoutTexts(ALL_EVENT_TYPES),
  "events <type>": withoutTexts(ALL_EVENT_TYPES),
  "events --type": withoutTexts(ALL_EVENT_TYPES),
};

const objectsOf =
  (kind: Kind): Lister =>
  (rt, business) =>
    (business ? [business] : rt.store.businesses.list())
      .flatMap(({ id }) => rt.store.catalog.listByKind(id, kind))
      .map(({ key, name }) => suggestion(key, name));

const slugs: Lister = (rt) =>
  rt.store.businesses.list().map(({ slug, doc }) => suggestion(slug, doc.name));

const keys: Lister = (rt, business) =>
  rt.store.keys
    .list(business?.id)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name }) => suggestion(id, name));

const endpoints: Lister = (rt, business) =>
  rt.store.endpoints
    .list(business?.id)
    .map(({ id, name, url }) => suggestion(id, `${name} ${url}`));

const deliveries: Lister = (rt, business) =>
  rt.store.deliveries
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, eventType, status }) => suggestion(id, `${eventType} ${status.toLowerCase()}`));

const events: Lister = (rt, business) =>
  rt.store.events
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, type }) => suggestion(id, type));

const bookings = perBusiness(({ store }, businessId) =>
  store.bookings
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, status }) => suggestion(id, status.toLowerCase())),
);
const reservations = perBusiness(({ store }, businessId) =>
  store.reservations
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, partySize, status }) =>
      suggestion(id, `for ${partySize}, ${status.toLowerCase()}`),
    ),
);
const absences = perBusiness(({ store, now }, businessId) =>
  store.timeOff
    .listEndingAfter(businessId, now())
    .map(({ id, reason }) => suggestion(id, reason ?? "")),
);

/**
 * Functions that list values from the data. A key such as `businesses <slug>` holds for one noun,
 * and a key such as `--service` for every noun without a key of its own.
 */
const LIVE: Record<string, Lister> = {
  "--business": slugs,
  "businesses <slug>": slugs,
  "businesses [slug]": slugs,
  "catalog [slug]": slugs,
  "<service>": objectsOf("service"),
  "--service": objectsOf("service"),
  "--addon": objectsOf("addon"),
  "<staff>": objectsOf("staff"),
  "[staff]": objectsOf("staff"),
  "--staff": objectsOf("staff"),
  "--add-service": objectsOf("service"),
  "--remove-service": objectsOf("service"),
  "--area": objectsOf("area"),
  "--table": objectsOf("table"),
  "<dish>": objectsOf("menu_item"),
  "<promotion>": objectsOf("promotion"),
  "<public-event>": objectsOf("public_event"),
  "--public-event": objectsOf("public_event"),
  "<key>": keys,
  "<endpoint>": endpoints,
  "--endpoint": endpoints,
  "<delivery>": deliveries,
  "[delivery]": deliveries,
  "events <event>": events,
  "bookings <id>": bookings,
  "reservations <id>": reservations,
  "time-off <id>": absences,
};

export const fixedValues = (valueKind: string): Suggestion[] => findEntry(FIXED, valueKind) ?? [];

/** Returns the lister of a kind; the lists of features are loaded only if the core has none. */
export const loadLister = async (valueKind: string): Promise<Lister | undefined> =>
  findEntry(LIVE, valueKind) ?? findEntry(await loadLiveValues(), valueKind);

/**
 * Returns the entry for the noun with its argument or flag. If there is no such entry, returns the
 * entry for the argument or flag alone.
 */
const findEntry = <Entry>(entries: Record<string, Entry>, valueKind: string): Entry | undefined =>
  entries[valueKind] ?? entries[valueKind.slice(valueKind.indexOf(" ") + 1)];
