import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { loadCatalog } from "../app/tell.ts";
import { formatInstant } from "../domain/business-time.ts";
import type { StoredCatalog } from "../domain/lens.ts";
import { nextTransition, type PublicCatalog, representCatalog } from "../domain/representation.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { Credential } from "../store/keys.ts";
import { type Call, header, type HeaderPairs, respond } from "./call.ts";
import type { View } from "./catalog-views.ts";
import { acceptsGzip, matchesTag } from "./conditional.ts";
import { paginate } from "./cursor.ts";
import { chooseLocale, localise } from "./localise.ts";
import { readParameters } from "./parameters.ts";

/** Raised by a release that changes the shape of an answer, so that no client keeps the old one. */
const REPRESENTATION = 1;
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
const GZIP_ABOVE_BYTES = 1024;

/** An answer ready to be written, for as long as its catalog version and its moment last. */
type Prepared = {
  catalogVersion: number;
  businessRevision: number;
  /** Epoch ms of the next instant at which it differs by the clock alone. */
  validUntil: number;
  etag: string;
  body: Buffer<ArrayBuffer>;
  headers: HeaderPairs;
  notModifiedHeaders: HeaderPairs;
  gzip: { body: Buffer<ArrayBuffer>; headers: HeaderPairs } | undefined;
};

type Source = { business: BusinessRow; stored: StoredCatalog; shown: PublicCatalog; moment: number };

/** Answers the catalog's lists from bytes that are built once a version. */
export function createViews(rt: Runtime): (view: View) => (call: Call, key: Credential) => Response {
  const cache = new Map<string, Prepared>();
  let cachedBytes = 0;
  const readSource = createSourceReader(rt);

  const remember = (id: string, prepared: Prepared): void => {
    forget(id);
    cache.set(id, prepared);
    cachedBytes += prepared.body.length;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= MAX_CACHE_BYTES || oldest === id) break;
      forget(oldest);
    }
  };
  const forget = (id: string): void => {
    const prepared = cache.get(id);
    if (!prepared) return;
    cachedBytes -= prepared.body.length + (prepared.gzip?.body.length ?? 0);
    cache.delete(id);
  };
  const compress = (prepared: Prepared): NonNullable<Prepared["gzip"]> => {
    if (!prepared.gzip) {
      const body = gzipSync(prepared.body);
      prepared.gzip = { body, headers: withLength([["content-encoding", "gzip"], ...prepared.headers], body) };
      cachedBytes += body.length;
    }
    return prepared.gzip;
  };

  return (view) => (call, key) => {
    const { search } = call.event.url;
    const id = `${key.businessId}/${view.path}${search}`;
    let prepared = cache.get(id);
    if (!prepared || !isCurrent(prepared, key, rt.now())) {
      prepared = prepare(view, search, key, rt.now(), readSource);
      remember(id, prepared);
    }
    if (matchesTag(header(call.event, "if-none-match"), prepared.etag))
      return respond(call, 304, prepared.notModifiedHeaders, null);
    if (prepared.body.length > GZIP_ABOVE_BYTES && acceptsGzip(header(call.event, "accept-encoding"))) {
      const { body, headers } = compress(prepared);
      return respond(call, 200, headers, body);
    }
    return respond(call, 200, prepared.headers, prepared.body);
  };
}

const isCurrent = (prepared: Prepared, key: Credential, now: number): boolean =>
  prepared.catalogVersion === key.catalogVersion &&
  prepared.businessRevision === key.businessRevision &&
  now < prepared.validUntil;

function prepare(view: View, search: string, key: Credential, now: number, readSource: ReadSource): Prepared {
  const asked = readParameters(view.parameters, search);
  const { business, stored, shown, moment } = readSource(
    key.businessId,
    (timezone) => view.asOf?.(asked, timezone) ?? now,
  );
  const { slug, name, timezone, currency } = business.doc;

  const locale = chooseLocale(asked["locale"] as string | undefined, business.doc);
  const validUntil = view.timed && moment === now ? nextTransition(stored, now, [view.timed]) : null;
  const { objects, toData = (page) => page } = view.select(shown, asked, { now: moment, timezone });
  const page = paginate(
    view.path,
    objects,
    asked["limit"] as number | undefined,
    asked["cursor"] as string | undefined,
  );
  const body = Buffer.from(
    JSON.stringify({
      data: localise(toData(page.objects), locale, asked["includeTranslations"] === true),
      page: { hasMore: page.nextCursor !== null, nextCursor: page.nextCursor },
      meta: {
        business: { id: business.id, slug, name, timezone },
        currency,
        locale,
        catalogVersion: business.catalogVersion,
        validUntil: validUntil === null ? null : formatInstant(validUntil, timezone),
      },
    }),
  );

  const content = view.hashed ? body : JSON.stringify([view.path, search, business.updatedAt, validUntil]);
  const digest = hash("sha256", content, "base64url").slice(0, 16);
  const etag = `W/"c${business.catalogVersion}-${REPRESENTATION}-${digest}"`;
  const notModifiedHeaders: HeaderPairs = [
    ["etag", etag],
    ["cache-control", "private, no-cache"],
    ["catalog-version", String(business.catalogVersion)],
    ["vary", "Accept-Encoding"],
  ];
  const headers: HeaderPairs = [["content-type", "application/json"], ...notModifiedHeaders];
  if (page.nextCursor !== null) headers.push(["link", linkToNext(slug, view.path, search, page.nextCursor)]);
  return {
    catalogVersion: business.catalogVersion,
    businessRevision: business.revision,
    validUntil: validUntil ?? Infinity,
    etag,
    body,
    headers: withLength(headers, body),
    notModifiedHeaders,
    gzip: undefined,
  };
}

const withLength = (headers: HeaderPairs, body: Buffer<ArrayBuffer>): HeaderPairs => [
  ...headers.filter(([name]) => name !== "content-length"),
  ["content-length", String(body.length)],
];

function linkToNext(slug: string, path: string, search: string, cursor: string): string {
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return `</v1/businesses/${slug}/${path}?${query}>; rel="next"`;
}

type ReadSource = (businessId: string, momentIn: (timezone: string) => number) => Source;

/** Reads a business's public catalog as of a moment; the last one is kept, because pages and lists are asked in a row. */
function createSourceReader(rt: Runtime): ReadSource {
  let last: { source: Source; until: number } | undefined;
  const fits = (business: BusinessRow, moment: number): boolean =>
    last !== undefined &&
    last.source.business.id === business.id &&
    last.source.business.revision === business.revision &&
    last.source.moment <= moment &&
    moment < last.until;
  return (businessId, momentIn) => {
    const current = requireBusiness(rt, businessId);
    const moment = momentIn(current.doc.timezone);
    if (last && fits(current, moment)) return { ...last.source, moment };
    const { business, stored } = readWhole(rt, current);
    const source = { business, stored, shown: representCatalog(stored, moment), moment };
    last = { source, until: nextTransition(stored, moment) ?? Infinity };
    return source;
  };
}

/** Several statements, between which somebody may commit: read again until nobody has. */
function readWhole(rt: Runtime, known: BusinessRow): Pick<Source, "business" | "stored"> {
  for (let business = known; ;) {
    const stored = loadCatalog(rt, business);
    const after = requireBusiness(rt, business.id);
    if (after.revision === business.revision) return { business, stored };
    business = after;
  }
}

function requireBusiness(rt: Runtime, id: string): BusinessRow {
  const business = rt.store.businesses.byId(id);
  if (!business) throw new Error(`the business of a live key is gone: ${id}`);
  return business;
}
