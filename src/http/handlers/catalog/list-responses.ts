import { hash } from "node:crypto";
import type { Runtime } from "../../../app/runtime.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import { localise } from "../../../domain/public/public-context.ts";
import { nextTransition } from "../../../domain/public/public-catalog.ts";
import type { Credential } from "../../../store/keys.ts";
import {
  businessUrl,
  toPublicBusiness,
  linkToNext,
  paginate,
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
import { createCatalogReader, type ReadCatalog, chooseLocale } from "./catalog-reader.ts";
import { type ListRoute, type Selection, withIds } from "./list-routes.ts";

/** Increment it when the response format changes, so that clients drop their copies. */
const FORMAT_VERSION = 2;

/** Measured size of an entry without its bodies: the parameters, the headers and the cache's own data. */
const OVERHEAD_BYTES = 2048;

/** A response with the business state and the time for which it is valid. */
export type ListResponse = CachedResponse & {
  catalogVersion: number;
  businessRevision: number;
  /** The sequence number of the last event when the catalog was read. */
  lastSequence: number;
  /** Epoch milliseconds of the next change caused by time alone; Infinity if there is none. */
  validUntil: number;
  /** The bytes of all bodies built so far. */
  bodyBytes: number;
};

export const isCurrent = (response: ListResponse, key: Credential, now: number): boolean =>
  response.catalogVersion === key.catalogVersion &&
  response.businessRevision === key.businessRevision &&
  now < response.validUntil;

const sizeOf = ({ bodyBytes }: ListResponse): number => OVERHEAD_BYTES + bodyBytes;

/** Builds the responses of the lists, and keeps their bytes until they change. */
export class ListResponses {
  readonly #rt: Runtime;
  readonly #readCatalog: ReadCatalog;
  readonly #cache: BoundedCache<string, ListResponse>;
  #hits = 0;
  #misses = 0;

  constructor(rt: Runtime, metrics: Metrics) {
    this.#rt = rt;
    this.#readCatalog = createCatalogReader(rt);
    this.#cache = new BoundedCache(rt.config.http.cacheBytes, sizeOf);
    metrics.addSource(() => this.#formatMetrics());
  }

  get(route: ListRoute, search: string, key: Credential, now: number): ListResponse {
    const known = route.parameters();
    const parameters = parseParameters(known, search);
    const values = Object.keys(known).map((name) => parameters[name]);
    // The query string is left out: ignored parameters and spellings must not build another
    // response.
    const id = `${key.businessId}/${route.path} ${JSON.stringify(values)}`;
    const cached = this.#cache.get(id);
    if (cached && isCurrent(cached, key, now)) {
      this.recordHit();
      return cached;
    }
    this.#misses += 1;
    const response = this.#build(id, route, parameters, search, key, now, (bytes) => {
      response.bodyBytes += bytes;
      // Counts the entry again, unless it has been evicted or replaced.
      if (this.#cache.get(id) === response) this.#cache.set(id, response);
    });
    this.#cache.set(id, response);
    return response;
  }

  /** Counts a request that was answered with a kept response. */
  recordHit(): void {
    this.#hits += 1;
  }

  /** @param onCompressed called with the size of the compressed body */
  #build(
    id: string,
    route: ListRoute,
    parameters: ParametersOf<ReturnType<ListRoute["parameters"]>>,
    search: string,
    key: Credential,
    now: number,
    onCompressed: (bytes: number) => void,
  ): ListResponse {
    const { business, stored, publicCatalog, asOf } = this.#readCatalog(
      key.businessId,
      route.lists,
      ({ doc, publishedUntil }) =>
        // The time is not before the last published transition: the list reflects every event up to
        // its sequence number, even if the request arrived just before that transition.
        route.asOf?.(parameters, doc.timezone) ?? Math.max(now, publishedUntil),
    );
    const { slug, timezone, currency } = business.doc;

    const locale = chooseLocale(parameters["locale"] as string | undefined, business.doc);
    const isForNow = route.asOf?.(parameters, timezone) === undefined;
    const validUntil = route.timed && isForNow ? nextTransition(stored, asOf, [route.timed]) : null;
    const selection = route.select(publicCatalog, parameters, { now: asOf, timezone, stored });
    const { data, page } = toPage(route, selection, parameters);
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

/** The text of an instant is cut to the second, and must not be before the change. */
const ceilToSecond = (ms: number): number => Math.ceil(ms / 1000) * 1000;

/** Returns no `page` if the response is not a list. */
function toPage(
  route: ListRoute,
  selection: Selection,
  parameters: ParametersOf<ReturnType<ListRoute["parameters"]>>,
) {
  if ("object" in selection) return { data: selection.object };
  const { objects, toData = (page) => page } = selection;
  const page = paginate(
    route.path,
    withIds(objects, parameters["ids"] as string[] | undefined),
    parameters["limit"] as number | undefined,
    parameters["cursor"] as string | undefined,
  );
  const { nextCursor } = page;
  return { data: toData(page.objects), page: { hasMore: nextCursor !== null, nextCursor } };
}

export type ListHandler = (
  route: ListRoute,
) => (context: RequestContext, key: Credential) => HandlerResult;

export function createListHandler(rt: Runtime, metrics: Metrics): ListHandler {
  const responses = new ListResponses(rt, metrics);
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
        last = { businessId, search, response: responses.get(route, search, key, context.now) };
      else responses.recordHit();
      const { response } = last;
      // Events that leave the list unchanged, such as bookings, are later than a cached response.
      const sequence = Math.max(key.lastSequence, response.lastSequence);
      context.responseHeaders.push("x-service-sequence", String(sequence));
      return response.respond(context);
    };
  };
}
