import { readAhead } from "../../app/catalog/cached-lists.ts";
import { type CatalogView, readCatalogView } from "../../app/catalog/catalog-view.ts";
import type { Runtime } from "../../app/runtime.ts";
import { grants } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import { kindsAffecting, type ListName } from "../../domain/public/public-catalog.ts";
import { parametersError } from "../../http/pipeline/parameters.ts";
import type { RequestContext } from "../../http/pipeline/request-context.ts";
import type { PageDeps } from "../../http/pipeline/route.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Credential } from "../../store/keys.ts";
import { createPublishedStore } from "./store.ts";

/** Who calls a tool, and where. */
export type Caller = PageDeps & {
  rt: Runtime;
  context: RequestContext;
  key: Credential | undefined;
  /** The business in `/b/{slug}/mcp`; undefined at `/mcp`. */
  slug: string | undefined;
};

const notFound = (): AppError =>
  new AppError("business_not_found", "There is no such business.", {
    fix: "use a slug of find_business, or send an API key of the business",
  });

/** Returns the slug of the business that a call is about. */
export function chooseBusiness({ slug, key }: Caller, wanted: unknown): string {
  if (slug !== undefined) return slug;
  if (typeof wanted === "string" && wanted !== "") return wanted;
  if (key !== undefined) return key.businessSlug;
  throw parametersError([
    {
      parameter: "business",
      code: "missing_parameter",
      detail: "'business' is missing: send the slug of a business, from find_business.",
    },
  ]);
}

/**
 * Asserts that a business is published, or is the business of the caller's key.
 * @throws AppError business_not_found, whether or not the business exists
 */
export function assertReadable({ rt, key }: Caller, slug: string): void {
  if (key?.businessSlug === slug || rt.openStore(createPublishedStore).has(slug)) return;
  throw notFound();
}

/** Counts a read of the key's business against the limits of the key, as the API does. */
function authorizeReading({ rt, accessControl, context, key }: Caller, slug: string): void {
  if (key?.businessSlug !== slug) return;
  // A published business can be read without a key, so a key without the scope reads it, too.
  if (!grants(key, "services.read") && rt.openStore(createPublishedStore).has(slug)) return;
  // The headers about the key's limits are dropped, because `/mcp` sends those of its own limit.
  accessControl.authorize({ ...context, responseHeaders: [] }, slug, "services.read");
}

/** Reads from the catalog of a business as partners see it, and counts the reading. */
export async function readCatalog<T>(
  caller: Caller,
  slug: string,
  lists: readonly ListName[],
  read: (view: CatalogView) => T,
): Promise<T> {
  assertReadable(caller, slug);
  authorizeReading(caller, slug);
  return readView(caller, slug, lists, read);
}

/**
 * Reads from a catalog for a call that also writes. The reading does not count as a request,
 * because the write does. Returns undefined if the caller may not read the catalog.
 */
export async function readForWrite<T>(
  caller: Caller,
  slug: string,
  lists: readonly ListName[],
  read: (view: CatalogView) => T,
): Promise<T | undefined> {
  const { rt, key } = caller;
  const isOwn = key?.businessSlug === slug && grants(key, "services.read");
  if (!isOwn && !rt.openStore(createPublishedStore).has(slug)) return undefined;
  return readView(caller, slug, lists, read);
}

async function readView<T>(
  { rt, context }: Caller,
  slug: string,
  lists: readonly ListName[],
  read: (view: CatalogView) => T,
): Promise<T> {
  const getBusiness = (): BusinessRow => {
    const business = rt.store.businesses.findBySlug(slug);
    if (business === undefined) throw notFound();
    return business;
  };
  // The business is read again after this step, because it may change or be deleted meanwhile.
  await readAhead(rt, getBusiness(), kindsAffecting(lists));
  return readCatalogView(
    rt,
    lists,
    getBusiness,
    // Partners already know the state at `publishedUntil`, so no tool shows an earlier state.
    ({ publishedUntil }) => Math.max(context.now, publishedUntil),
    read,
  );
}
