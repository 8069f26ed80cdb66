import { hash } from "node:crypto";
import { type CatalogView, readCatalogView } from "../../../app/catalog/catalog-view.ts";
import { readAhead } from "../../../app/catalog/cached-lists.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import type { Kind } from "../../../domain/catalog/catalog.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import { localise } from "../../../domain/public/public-context.ts";
import { kindsAffecting, nextTransition } from "../../../domain/public/public-catalog.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import {
  businessUrl,
  decodeCursor,
  encodeCursor,
  getBusinessOfKey,
  toPublicBusiness,
  linkToNext,
} from "../../pipeline/business-response.ts";
import {
  type CachedResponse,
  compressible,
  encodeExactly,
  createCachedResponse,
} from "../../pipeline/cached-response.ts";
import { formatMetric, type Metrics } from "../../pipeline/metrics.ts";
import { parseParameters, type ParametersOf } from "../../pipeline/parameters.ts";
import {
  toRawHeaders,
  type HandlerResult,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import { chooseLocale } from "./choose-locale.ts";
import type { ListRoute, ListSelection } from "./list-routes.ts";

/** Version of the response format. A new version makes clients drop their copies. */
const FORMAT_VERSION = 3;

/** Measured size of an entry without its bodies: parameters, headers and data of the cache. */
const OVERHEAD_BYTES = 2048;

/**
 * A response, with the revisions of the business that the response shows, and the time until which
 * it is valid.
 */
export type ListResponse = CachedResponse & {
  catalogVersion: number;
  businessRevision: number;
  /** Null if the response does not show the stock. */
  stockRevision: number | null;
  /** Sequence number of the last event when the catalog was read. */
  lastSequence: number;
  /** When time alone will change the response (epoch ms); Infinity if it never will. */
  validUntil: number;
  /** Number of bytes of all bodies built so far. */
  bodyBytes: number;
};

export const isCurrent = (response: ListResponse, key: Credential, now: number): boolean =>
  response.catalogVersion === key.catalogVersion &&
  response.businessRevision === key.businessRevision &&
  (response.stockRevision === null || response.stockRevision === key.stockRevision) &&
  now < response.validUntil;

const sizeOf = ({ bodyBytes }: ListResponse): number => OVERHEAD_BYTES + bodyBytes;

/** Builds the responses of the lists, and keeps their bytes until a list changes. */
export class ListResponses {
  readonly #rt: Runtime;
  readonly #cache: BoundedCache<string, ListResponse>;
  #hits = 0;
  #misses = 0;

  constructor(rt: Runtime, metrics: Metrics) {
    this.#rt = rt;
    this.#cache = new BoundedCache(rt.config.http.cacheBytes, sizeOf);
    metrics.addSource(() => this.#formatMetrics());
  }

  /** Returns a response; a promise of it if a large catalog must be read first. */
  get(
    route: ListRoute,
    search: string,
    key: Credential,
    now: number,
  ): ListResponse | Promise<ListResponse> {
    const schemas = route.parameters();
    const parameters = parseParameters(schemas, search);
    const values = Object.keys(schemas).map((name) => parameters[name]);
    // The query string is not part of the ID: ignored parameters and other spellings must not build
    // another response.
    const id = `${key.businessId}/${route.path} ${JSON.stringify(values)}`;
    const cached = this.#cache.get(id);
    if (cached && isCurrent(cached, key, now)) {
      this.recordHit();
      return cached;
    }
    this.#misses += 1;
    const build = (): ListResponse => {
      const response = this.#build(id, route, parameters, search, key, now, (bytes) => {
        response.bodyBytes += bytes;
        // The cache counts the entry's size again, unless the entry was evicted or replaced.
        if (this.#cache.get(id) === response) this.#cache.set(id, response);
      });
      this.#cache.set(id, response);
      return response;
    };
    const kinds = kindsAffecting(route.lists);
    const reading = readAhead(this.#rt, getBusinessOfKey(this.#rt, key), kinds);
    return reading === undefined ? build() : reading.then(build);
  }

  /** Counts a request that got a cached response. */
  recordHit(): void {
    this.#hits += 1;
  }

  /**
   * Builds a response from the catalog.
   * @param onCompressed called with the size of the compressed body
   */
  #build(
    id: string,
    route: ListRoute,
    parameters: ParametersOf<ReturnType<ListRoute["parameters"]>>,
    search: string,
    key: Credential,
    now: number,
    onCompressed: (bytes: number) => void,
  ): ListResponse {
    const findAsOf = ({ doc }: BusinessRow) => route.asOf?.(parameters, doc.timezone);
    // If a request names no instant, its list is read as of now, but not before the last published
    // transition. The list therefore reflects every event up to its sequence number, even if the
    // request arrived just before that transition.
    const getAsOf = (business: BusinessRow) =>
      findAsOf(business) ?? Math.max(now, business.publishedUntil);
    const { business, data, page, validUntil } = readCatalogView(
      this.#rt,
      route.lists,
      () => getBusinessOfKey(this.#rt, key),
      getAsOf,
      (view) => ({
        business: view.business,
        validUntil:
          route.timed && findAsOf(view.business) === undefined
            ? nextTransition(view.stored, view.context.now, [route.timed])
            : null,
        ...toPage(route, view, parameters),
      }),
    );
    const { slug, timezone, currency } = business.doc;
    const locale = chooseLocale(parameters["locale"] as string | undefined, business.doc);
    const body = encodeExactly(
      JSON.stringify({
        data: localise(data, locale, parameters["includeTranslations"] === true),
        page,
        meta: {
          business: toPublicBusiness(business),
          currency,
          locale,
          catalogVersion: business.catalogVersion,
          validUntil:
            validUntil === null ? null : formatInstant(ceilToSecond(validUntil), timezone),
        },
      }),
    );

    // The catalog version and these values determine the body unless `hashesBody` is set, so
    // hashing the whole body is not needed.
    const hashed = route.hashesBody ? body : JSON.stringify([id, business.updatedAt, validUntil]);
    const digest = hash("sha256", hashed, "base64url").slice(0, 16);
    const etag = `W/"c${business.catalogVersion}-${FORMAT_VERSION}-${digest}"`;
    const headers = toRawHeaders({
      "cache-control": "private, no-cache",
      "catalog-version": String(business.catalogVersion),
    });
    const contentHeaders = ["content-type", "application/json"];
    if (parameters["includeTranslations"] !== true) contentHeaders.push("content-language", locale);
    if (page && page.nextCursor !== null)
      contentHeaders.push(
        "link",
        linkToNext(businessUrl(this.#rt, slug, route.path), search, page.nextCursor),
      );
    return {
      ...createCachedResponse(etag, headers, contentHeaders, compressible(body, onCompressed)),
      catalogVersion: business.catalogVersion,
      businessRevision: business.revision,
      stockRevision: route.showsStock ? business.stockRevision : null,
      lastSequence: business.lastSequence,
      validUntil: validUntil ?? Infinity,
      bodyBytes: body.length,
    };
  }

  #formatMetrics(): string {
    return [
      formatMetric(
        "deskbell_response_cache_requests_total",
        "counter",
        "Catalog lists served from the cache (hit) or built (miss).",
        [
          ['result="hit"', this.#hits],
          ['result="miss"', this.#misses],
        ],
      ),
      formatMetric(
        "deskbell_response_cache_bytes",
        "gauge",
        "Size of the cached catalog lists, and its limit.",
        [
          ['kind="used"', this.#cache.size],
          ['kind="max"', this.#cache.maxSize],
        ],
      ),
    ].join("");
  }
}

/** Rounds up to a second: an instant's text has no fractions, and must not be before the change. */
const ceilToSecond = (ms: number): number => Math.ceil(ms / 1000) * 1000;

/** Returns the objects of one page; no `page` if the response is a single object. */
function toPage(
  route: ListRoute,
  view: CatalogView,
  parameters: ParametersOf<ReturnType<ListRoute["parameters"]>>,
) {
  const selection = route.select(view, parameters);
  if ("object" in selection) return { data: selection.object };
  const { kind, matches, toPublic, toData = (page) => page } = selection as ListSelection<Kind>;
  const cursor = parameters["cursor"] as string | undefined;
  const { docs, last } = view.select(kind, {
    matches,
    ids: parameters["ids"] as string[] | undefined,
    limit: parameters["limit"] as number | undefined,
    after: cursor === undefined ? undefined : decodeCursor(route.path, cursor),
  });
  const nextCursor = last && encodeCursor(route.path, last);
  return { data: toData(docs.map(toPublic)), page: { hasMore: nextCursor !== null, nextCursor } };
}

export type ListHandler = (
  route: ListRoute,
) => (context: RequestContext, key: Credential) => HandlerResult;

export function createListHandler(rt: Runtime, metrics: Metrics): ListHandler {
  const responses = new ListResponses(rt, metrics);
  return (route) => {
    // The last response is kept, because consecutive requests are often equal.
    let last: { businessId: string; search: string; response: ListResponse } | undefined;
    const rememberAndRespond = (
      context: RequestContext,
      key: Credential,
      response: ListResponse,
    ) => {
      last = { businessId: key.businessId, search: context.request.search, response };
      return respondWith(context, key, response);
    };
    return (context, key) => {
      const { search } = context.request;
      if (
        last?.search === search &&
        last.businessId === key.businessId &&
        isCurrent(last.response, key, context.now)
      ) {
        responses.recordHit();
        return respondWith(context, key, last.response);
      }
      const found = responses.get(route, search, key, context.now);
      return found instanceof Promise
        ? found.then((response) => rememberAndRespond(context, key, response))
        : rememberAndRespond(context, key, found);
    };
  };
}

function respondWith(
  context: RequestContext,
  key: Credential,
  response: ListResponse,
): HandlerResult {
  // A cached response is current, so later events, such as those of bookings, have not changed it.
  // The header can state the newest sequence number.
  const sequence = Math.max(key.lastSequence, response.lastSequence);
  context.responseHeaders.push("x-service-sequence", String(sequence));
  return response.respond(context);
}
