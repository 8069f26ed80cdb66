import { hash } from "node:crypto";
import { loadCatalog } from "../../../app/catalog/load-catalog.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import {
  nextTransition,
  type PublicCatalog,
  toPublicCatalog,
} from "../../../domain/public/public-catalog.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import { businessUrl, getBusiness, toPublicBusiness } from "../../pipeline/business-response.ts";
import {
  type CachedResponse,
  compressible,
  createCachedResponse,
} from "../../pipeline/cached-response.ts";
import { linkToNext, paginate } from "../../pipeline/cursor.ts";
import { parseParameters, type ParametersOf } from "../../pipeline/parameters.ts";
import {
  type RequestContext,
  toRawHeaders,
  type HandlerResult,
} from "../../pipeline/request-context.ts";
import type { ListRoute } from "./list-routes.ts";
import { chooseLocale, localise } from "./localisation.ts";

/** Increment it when the response format changes, so that clients drop their copies. */
const FORMAT_VERSION = 2;

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Estimated size of an entry without its bodies: the parameters and three header sets. */
const OVERHEAD_BYTES = 4096;

/** A response with the business state and the time for which it is valid. */
type ListResponse = CachedResponse & {
  catalogVersion: number;
  businessRevision: number;
  /** Epoch milliseconds of the next change caused by time alone; Infinity if there is none. */
  validUntil: number;
  bodyBytes: number;
};

const isCurrent = (response: ListResponse, key: Credential, now: number): boolean =>
  response.catalogVersion === key.catalogVersion &&
  response.businessRevision === key.businessRevision &&
  now < response.validUntil;

/** The compressed body is smaller: count it as the same. */
const sizeOf = ({ bodyBytes }: ListResponse): number => OVERHEAD_BYTES + 2 * bodyBytes;

export type ListHandler = (
  route: ListRoute,
) => (context: RequestContext, key: Credential) => HandlerResult;

export function createListHandler(rt: Runtime): ListHandler {
  const cache = new BoundedCache<string, ListResponse>(MAX_CACHE_BYTES, sizeOf);
  const readCatalog = createCatalogReader(rt);

  const build = (
    id: string,
    route: ListRoute,
    parameters: ParametersOf<ListRoute["parameters"]>,
    search: string,
    key: Credential,
    now: number,
  ): ListResponse => {
    const { business, stored, publicCatalog, asOf } = readCatalog(
      key.businessId,
      (timezone) => route.asOf?.(parameters, timezone) ?? now,
    );
    const { slug, timezone, currency } = business.doc;

    const locale = chooseLocale(parameters["locale"] as string | undefined, business.doc);
    const validUntil =
      route.timed && asOf === now ? nextTransition(stored, now, [route.timed]) : null;
    const { objects, toData = (page) => page } = route.select(publicCatalog, parameters, {
      now: asOf,
      timezone,
    });
    const page = paginate(
      route.path,
      objects,
      parameters["limit"] as number | undefined,
      parameters["cursor"] as string | undefined,
    );
    const body = Buffer.from(
      JSON.stringify({
        data: localise(toData(page.objects), locale, parameters["includeTranslations"] === true),
        page: { hasMore: page.nextCursor !== null, nextCursor: page.nextCursor },
        meta: {
          business: toPublicBusiness(business),
          currency,
          locale,
          catalogVersion: business.catalogVersion,
          validUntil: validUntil === null ? null : formatInstant(validUntil, timezone),
        },
      }),
    );

    const hashed = route.hashesBody ? body : JSON.stringify([id, business.updatedAt, validUntil]);
    const digest = hash("sha256", hashed, "base64url").slice(0, 16);
    const etag = `W/"c${business.catalogVersion}-${FORMAT_VERSION}-${digest}"`;
    const headers = toRawHeaders({
      "cache-control": "private, no-cache",
      "catalog-version": String(business.catalogVersion),
    });
    const contentHeaders = ["content-type", "application/json"];
    if (page.nextCursor !== null)
      contentHeaders.push(
        "link",
        linkToNext(businessUrl(rt, slug, route.path), search, page.nextCursor),
      );
    return {
      ...createCachedResponse(etag, headers, contentHeaders, compressible(body)),
      catalogVersion: business.catalogVersion,
      businessRevision: business.revision,
      validUntil: validUntil ?? Infinity,
      bodyBytes: body.length,
    };
  };

  const getResponse = (
    route: ListRoute,
    search: string,
    key: Credential,
    now: number,
  ): ListResponse => {
    const parameters = parseParameters(route.parameters, search);
    const values = Object.keys(route.parameters).map((name) => parameters[name]);
    // Not the query string: ignored parameters and spellings must not build another response.
    const id = `${key.businessId}/${route.path} ${JSON.stringify(values)}`;
    const cached = cache.get(id);
    if (cached && isCurrent(cached, key, now)) return cached;
    const response = build(id, route, parameters, search, key, now);
    cache.set(id, response);
    return response;
  };

  return (route) => {
    // Consecutive requests are often the same.
    let last: { businessId: string; search: string; response: ListResponse } | undefined;
    return (context, key) => {
      const { search } = context.request;
      const { businessId } = key;
      if (
        last?.search !== search ||
        last.businessId !== businessId ||
        !isCurrent(last.response, key, context.now)
      )
        last = { businessId, search, response: getResponse(route, search, key, context.now) };
      return last.response.respond(context);
    };
  };
}

type CatalogSnapshot = {
  business: BusinessRow;
  stored: StoredCatalog;
  publicCatalog: PublicCatalog;
  asOf: number;
};

type ReadCatalog = (businessId: string, asOf: (timezone: string) => number) => CatalogSnapshot;

/** Keeps the last snapshot, because clients often request several lists and pages in a row. */
function createCatalogReader(rt: Runtime): ReadCatalog {
  let last: { snapshot: CatalogSnapshot; validUntil: number } | undefined;
  return (businessId, asOfIn) => {
    const current = getBusiness(rt, { businessId });
    const asOf = asOfIn(current.doc.timezone);
    if (
      last?.snapshot.business.id === current.id &&
      last.snapshot.business.revision === current.revision &&
      last.snapshot.asOf <= asOf &&
      asOf < last.validUntil
    )
      return { ...last.snapshot, asOf };
    const { business, stored } = readConsistently(rt, current);
    const snapshot = { business, stored, publicCatalog: toPublicCatalog(stored, asOf), asOf };
    last = { snapshot, validUntil: nextTransition(stored, asOf) ?? Infinity };
    return snapshot;
  };
}

/** Loading takes several statements: repeats it if another connection has committed in between. */
function readConsistently(
  rt: Runtime,
  current: BusinessRow,
): Pick<CatalogSnapshot, "business" | "stored"> {
  for (let business = current; ;) {
    const stored = loadCatalog(rt, business);
    const after = getBusiness(rt, { businessId: business.id });
    if (after.revision === business.revision) return { business, stored };
    business = after;
  }
}
