import { hash } from "node:crypto";
import { hasBookableTable } from "../../app/catalog/bookable-tables.ts";
import { readCatalogView } from "../../app/catalog/catalog-view.ts";
import { readAhead } from "../../app/catalog/cached-lists.ts";
import { createCommitDetector } from "../../app/commit-detector.ts";
import type { Runtime } from "../../app/runtime.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { AppError } from "../../domain/errors.ts";
import { ALL_LISTS, kindsAffecting } from "../../domain/public/public-catalog.ts";
import { findBookingPath } from "../../http/pages/booking-path.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import {
  type CachedResponse,
  compressible,
  createCachedResponse,
  encodeExactly,
} from "../../http/pipeline/cached-response.ts";
import { getHeader, type HandlerResult } from "../../http/pipeline/request-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { buildPage, type WantedPage } from "./build-page.tsx";
import type { Variant } from "./content/content.ts";
import { respondNotFound } from "./not-found.tsx";
import { originOf, parsePage } from "./paths.ts";
import { createPublicPageStore, type PageState } from "./store.ts";
import { chooseVariant } from "./variants.ts";
import { countOnPages } from "./counters.ts";

// Serves the public pages, and keeps their bytes until the catalog, the stock or the time changes
// them.

/** The most bytes of pages that are kept. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** The measured size of a cached page without its bodies. */
const OVERHEAD_BYTES = 2048;
/** The most businesses whose states are kept. */
const MAX_STATES = 1000;
/** The maximum number of `variants` that are kept for a business. */
const MAX_VARIANTS = 100;

type CachedPage = CachedResponse & {
  revision: number;
  stockRevision: number;
  validUntil: number;
  bytes: number;
};

type KnownState = PageState & {
  /** The languages of a page. The key is the language in the URL with the Accept-Language. */
  variants: BoundedCache<string, Variant>;
};

const pagesByRuntime = new WeakMap<Runtime, PublicPages>();

export function pagesOf(rt: Runtime): PublicPages {
  const pages = pagesByRuntime.get(rt) ?? new PublicPages(rt);
  pagesByRuntime.set(rt, pages);
  return pages;
}

/**
 * The kinds of objects that a page depends on. Every page depends on all lists, because its
 * navigation names the lists that are not empty.
 */
const KINDS = kindsAffecting(ALL_LISTS);

class PublicPages {
  readonly #rt: Runtime;
  readonly #hasNewCommit: () => boolean;
  readonly #pages = new BoundedCache<string, CachedPage>(
    MAX_CACHED_BYTES,
    ({ bytes }) => bytes + OVERHEAD_BYTES,
  );
  /** The states by slug, until the next commit; null for a business without a page. */
  #states = new BoundedCache<string, KnownState | null>(MAX_STATES);

  constructor(rt: Runtime) {
    this.#rt = rt;
    this.#hasNewCommit = createCommitDetector(rt);
  }

  /**
   * Responds with a page, or with 404 if the business is unknown or not published.
   * @param kind what the page shows
   */
  respond(
    request: PageRequest,
    kind: WantedPage["kind"],
    event: string | null = null,
  ): HandlerResult {
    const { context, slug } = request;
    const state = this.#findState(slug);
    if (state === null) return respondNotFound(request);
    const query = parseQuery(context.request.search);
    const variant = chooseLanguages(state, query.language, request);
    const wanted = { kind, page: query.page, event: event ?? query.event, ...variant };
    const key = `${state.id} ${kind} ${wanted.page} ${variant.language} ${variant.locale} ${variant.isChosen} ${wanted.event ?? ""}`;
    const cached = this.#pages.get(key);
    if (cached && isCurrent(cached, state, context.now)) return this.#send(request, kind, cached);
    const build = () => this.#build(key, request, wanted);
    const reading = this.#readAhead(slug);
    return reading === undefined ? build() : reading.then(build);
  }

  #send(request: PageRequest, kind: WantedPage["kind"], page: CachedPage): HandlerResult {
    countOnPages(this.#rt, "sent", kind);
    return page.respond(request.context);
  }

  #findState(slug: string): KnownState | null {
    if (this.#hasNewCommit()) this.#states = new BoundedCache(MAX_STATES);
    const known = this.#states.get(slug);
    if (known !== undefined) return known;
    const state = this.#rt.openStore(createPublicPageStore).findState(slug);
    const newlyKnown = state
      ? { ...state, variants: new BoundedCache<string, Variant>(MAX_VARIANTS) }
      : null;
    this.#states.set(slug, newlyKnown);
    return newlyKnown;
  }

  /** Reads the lists of a page in steps. Returns undefined if a page can be built at once. */
  #readAhead(slug: string): Promise<void> | undefined {
    const business = this.#rt.store.businesses.findBySlug(slug);
    return business && readAhead(this.#rt, business, KINDS);
  }

  #build(key: string, request: PageRequest, wanted: WantedPage): HandlerResult {
    const { context, slug } = request;
    const rt = this.#rt;
    const origin = originOf(rt);
    const getBusiness = (): BusinessRow => {
      const business = rt.store.businesses.findBySlug(slug);
      if (business?.doc.publicPage.enabled) return business;
      throw new AppError("resource_not_found", "There is no page here.");
    };
    const { business, built } = readCatalogView(
      rt,
      ALL_LISTS,
      getBusiness,
      // Partners already know the state at `publishedUntil`, so no page shows an earlier state.
      ({ publishedUntil }) => Math.max(context.now, publishedUntil),
      (view) => {
        const hasTables = hasBookableTable(rt, view.business.id);
        const site = { origin, hasTables, bookingPath: findBookingPath() };
        return { business: view.business, built: buildPage(view, wanted, request, site) };
      },
    );
    if (built === null) return respondNotFound(request);
    const { body: text, type, headers, validUntil } = built;
    const body = encodeExactly(text);
    const digest = hash("sha256", body, "base64url").slice(0, 16);
    const page: CachedPage = {
      ...createCachedResponse(
        `W/"p${business.catalogVersion}-${digest}-${validUntil.toString(36)}"`,
        [
          "cache-control",
          "public, no-cache",
          ...(wanted.isChosen ? [] : ["vary", "Accept-Language"]),
        ],
        ["content-type", type, ...headers],
        compressible(body, (bytes) => {
          page.bytes += bytes;
          // A second `set` makes the cache count the entry's new size. An entry that was evicted or
          // replaced meanwhile is left alone.
          if (this.#pages.get(key) === page) this.#pages.set(key, page);
        }),
      ),
      revision: business.revision,
      stockRevision: business.stockRevision,
      validUntil,
      bytes: body.length,
    };
    this.#pages.set(key, page);
    return this.#send(request, wanted.kind, page);
  }
}

const isCurrent = (page: CachedPage, state: PageState, now: number): boolean =>
  page.revision === state.revision &&
  page.stockRevision === state.stockRevision &&
  now < page.validUntil;

type Query = { page: number; language: string | null; event: string | null };

const NO_QUERY: Query = { page: 1, language: null, event: null };

/** Returns the parameters that pages use. Advertisements may add others, which are ignored. */
function parseQuery(search: string): Query {
  if (search === "") return NO_QUERY;
  const query = new URLSearchParams(search);
  return {
    page: parsePage(query) ?? 1,
    language: query.get("lang"),
    event: query.get("event"),
  };
}

function chooseLanguages(
  { variants, locales }: KnownState,
  urlLanguage: string | null,
  { context }: PageRequest,
): Variant {
  const acceptLanguage = getHeader(context.request, "accept-language");
  // The language in the URL can be any text, so no separator would say where this text ends.
  const key = JSON.stringify([urlLanguage, acceptLanguage]);
  return variants.getOrInsertComputed(key, () =>
    chooseVariant(urlLanguage, acceptLanguage, locales),
  );
}
