import type { EventType } from "../../domain/events/event-types.ts";
import { minIdAt } from "../../domain/ids.ts";
import { cacheStatements, type Db, listedIn } from "../database/db.ts";
import { DELIVERY, type DeliveryRow } from "./deliveries.ts";

/** The states that a search can ask for. RETRYING is a pending delivery after a failed attempt. */
export const SEARCH_STATES = [
  "PENDING",
  "RETRYING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const;
export type SearchState = (typeof SEARCH_STATES)[number];

export type SearchFilter = {
  deliveryPrefix?: string | undefined;
  eventPrefix?: string | undefined;
  eventId?: string | undefined;
  state?: SearchState | undefined;
  endpointId?: string | undefined;
  eventType?: EventType | undefined;
  businessId?: string | undefined;
  /** Leaves out the deliveries to endpoints of partners. */
  withoutPartners?: true | undefined;
  /** Selects the deliveries that an API key sees. */
  viewer?: DeliveryViewer | undefined;
  /**
   * Selects events of this type, like `eventType`. Both can be set: the user filters by one type
   * and enters the other as the text to search for.
   */
  searchedType?: EventType | undefined;
  /** Selects deliveries that were created at this time or later (epoch ms). */
  since?: number | undefined;
  /** Selects pending and exhausted deliveries whose last attempt failed. */
  failed?: true | undefined;
  /** A part of any text that the list shows: state, type, host, endpoint, status code or error. */
  text?: string | undefined;
};

/** An API key. It sees the deliveries of its endpoints, and all deliveries of these event types. */
export type DeliveryViewer = { keyId: string; types: readonly EventType[] };

type Condition = {
  sql: string;
  /** The index that finds matching rows ordered by ID; null if every row must be tested. */
  index: string | null;
};

/** Stands for the primary key, which the planner uses without a hint. */
const PRIMARY = "";

const UNDELIVERED: Condition = {
  // The condition of the partial index is repeated, so that SQLite can use the index.
  sql: "status = :state AND status NOT IN ('PENDING', 'DELIVERED')",
  index: "delivery_undelivered",
};

const STATES: Record<SearchState, Condition> = {
  PENDING: { sql: "status = 'PENDING'", index: "delivery_owed" },
  RETRYING: {
    sql: "status = 'PENDING' AND attempt_count > attempts_before",
    index: "delivery_retrying",
  },
  // Most deliveries are delivered, so an index would not help.
  DELIVERED: { sql: "status = 'DELIVERED'", index: null },
  EXHAUSTED: UNDELIVERED,
  PARKED: UNDELIVERED,
  CANCELLED: UNDELIVERED,
  CORRUPT: UNDELIVERED,
};

/** The maximum number of deliveries that a search for the beginning of an event ID finds. */
const MAX_PER_EVENT = 1000;

const CONDITIONS: {
  [Name in Exclude<keyof SearchFilter, "since">]-?: (
    value: NonNullable<SearchFilter[Name]>,
  ) => Condition;
} = {
  deliveryPrefix: () => ({
    sql: "id >= :deliveryPrefix AND id < :deliveryPrefix || '~'",
    index: PRIMARY,
  }),
  eventPrefix: () => ({
    sql: `id IN (
      SELECT id FROM delivery WHERE event_id >= :eventPrefix AND event_id < :eventPrefix || '~' LIMIT ${MAX_PER_EVENT})`,
    index: PRIMARY,
  }),
  eventId: () => ({
    sql: "id IN (SELECT id FROM delivery WHERE event_id = :eventId)",
    index: PRIMARY,
  }),
  state: (state) => STATES[state],
  endpointId: () => ({ sql: "endpoint_id = :endpointId", index: "delivery_endpoint" }),
  eventType: () => ({ sql: "event_type = :eventType", index: "delivery_type" }),
  businessId: () => ({ sql: "business_id = :businessId", index: "delivery_business" }),
  withoutPartners: () => ({
    sql: "endpoint_id NOT IN (SELECT id FROM endpoint WHERE partner_id IS NOT NULL)",
    index: null,
  }),
  viewer: () => ({
    sql: `(endpoint_id IN (SELECT id FROM endpoint WHERE key_id = :viewerKeyId) OR event_type IN ${listedIn("viewerTypes")})`,
    index: null,
  }),
  searchedType: () => ({ sql: "event_type = :searchedType", index: "delivery_type" }),
  failed: () => ({
    sql: "last_error IS NOT NULL AND status IN ('PENDING', 'EXHAUSTED')",
    index: null,
  }),
  text: () => ({ sql: TEXT_CONDITION, index: null }),
};

const contains = (...columns: string[]): string =>
  columns.map((column) => `instr(${column}, :text) > 0`).join(" OR ");

/**
 * Matches a text. The list shows a pending delivery after a failed attempt as `failed` or
 * `retrying`, so both words find it. SQLite runs each of the inner queries once.
 */
const TEXT_CONDITION = `(
  ${contains("event_type", "lower(last_error)", "last_status_code")}
  OR instr(iif(status = 'PENDING' AND attempt_count > attempts_before, 'failed retrying', lower(status)), :text) > 0
  OR endpoint_id IN (
    SELECT id FROM endpoint
    WHERE ${contains("lower(name)", "lower(url)")} OR substr(id, 1, length(:text)) = :text)
  OR business_id IN (SELECT id FROM business WHERE ${contains("slug")}))`;

export type SearchCondition = {
  /** The table, with the index to use. */
  source: string;
  /** The condition that the index satisfies. */
  base: string;
  /** The condition to test in each row that the index finds; null if there is none. */
  residual: string | null;
  parameters: Record<string, unknown>;
};

/**
 * Returns the filter in SQL, split into the condition that one index satisfies and the rest. The
 * index is that of the first condition that has an index, because `CONDITIONS` begins with the
 * conditions that match the fewest rows.
 */
export function toSearchCondition(filter: SearchFilter): SearchCondition {
  const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = names.map((name) => CONDITIONS[name](filter[name] as never));
  const chosen = conditions.find(({ index }) => index !== null);
  const rest = conditions.filter((condition) => condition !== chosen).map(({ sql }) => sql);
  // IDs rise with time, so the bound `since` is a bound of the ID. Every index ends with the ID and
  // can use this bound.
  const bound = filter.since === undefined ? undefined : "id >= :since";
  return {
    source: chosen?.index ? `delivery INDEXED BY ${chosen.index}` : "delivery",
    base: [chosen?.sql, bound].filter((sql) => sql !== undefined).join(" AND ") || "TRUE",
    residual: rest.length === 0 ? null : rest.join(" AND "),
    parameters: {
      ...filter,
      since: filter.since === undefined ? undefined : minIdAt("dlv", filter.since),
      withoutPartners: undefined,
      text: filter.text?.toLowerCase(),
      viewerKeyId: filter.viewer?.keyId,
      viewerTypes: JSON.stringify(filter.viewer?.types ?? []),
    },
  };
}

export type FoundDelivery = DeliveryRow & {
  /** The number of attempts before the last redelivery, which began the retry schedule anew. */
  attemptsBefore: number;
  /** The duration of the last attempt. */
  durationMs: number | null;
  url: string;
  endpointName: string;
  businessSlug: string;
};

export type PageStart = { id: string; isIncluded: boolean };

export type SearchPage = {
  rows: FoundDelivery[];
  /** The last ID searched, if the search stopped early; null if the page is complete. */
  reached: string | null;
};

// A search reads at most `SLICES` slices of `SLICE_ROWS` rows each. A combination of conditions
// that few rows match would otherwise read a million rows after each keystroke.
const SLICE_ROWS = 10_000;
const SLICES = 5;
/** A text is searched in fewer slices, because it takes several times as long to search. */
const TEXT_SLICES = 2;

export const FOUND_DELIVERY = `${DELIVERY}, attempts_before AS attemptsBefore,
  (SELECT duration_ms FROM attempt WHERE delivery = d.number AND n = d.attempt_count) AS durationMs,
  (SELECT url FROM endpoint WHERE id = d.endpoint_id) AS url,
  (SELECT name FROM endpoint WHERE id = d.endpoint_id) AS endpointName,
  (SELECT slug FROM business WHERE id = d.business_id) AS businessSlug`;

/**
 * Searches deliveries in pages that begin at an ID. A search stays fast as the file grows.
 */
export function createDeliverySearchStore(db: Db) {
  const prepare = cacheStatements(db);
  return {
    /** Lists deliveries from `start` on: older ones newest first, or newer ones oldest first. */
    listPage(
      filter: SearchFilter,
      direction: "older" | "newer",
      start: PageStart | null,
      limit: number,
    ): SearchPage {
      const { source, base, residual, parameters } = toSearchCondition(filter);
      const [sign, order] = direction === "older" ? ["<", "DESC"] : [">", "ASC"];
      const rows: FoundDelivery[] = [];
      let from = start;
      const slices = filter.text === undefined ? SLICES : TEXT_SLICES;
      for (let slice = 0; slice < slices; slice++) {
        const beyond = from === null ? "TRUE" : `id ${sign}${from.isIncluded ? "=" : ""} :from`;
        const ordered = `FROM ${source} WHERE ${base} AND ${beyond} ORDER BY id ${order}`;
        const wanted = limit - rows.length;
        const bindings = {
          ...parameters,
          from: from?.id,
          wanted,
          sliceRows: residual === null ? wanted : SLICE_ROWS,
        };
        const found = prepare(`
          SELECT ${FOUND_DELIVERY} FROM (SELECT * ${ordered} LIMIT :sliceRows) AS d WHERE ${residual ?? "TRUE"} LIMIT :wanted`);
        rows.push(...(found.all(bindings) as FoundDelivery[]));
        if (residual === null || rows.length === limit) return { rows, reached: null };
        // If no row has this offset, the slice was not full and is the last one.
        const sliceEnd = prepare(`SELECT id ${ordered} LIMIT 1 OFFSET ${SLICE_ROWS - 1}`)
          .pluck()
          .get(bindings);
        if (sliceEnd === undefined) return { rows, reached: null };
        from = { id: sliceEnd as string, isIncluded: false };
      }
      return { rows, reached: from?.id ?? null };
    },
  };
}
