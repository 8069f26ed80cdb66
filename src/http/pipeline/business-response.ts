import { AppError } from "../../domain/errors.ts";
import { IGNORED_PARAMETER, parametersError } from "./parameters.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { AnyCredential, Credential, PartnerCredential } from "../../store/keys.ts";
import {
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respondJson,
} from "./request-context.ts";

/**
 * The position of the last object of a page. The next page has the objects that sort after the
 * position, even if that object has been deleted.
 */
export type CursorPosition = { sortOrder: number; id: string };

type Listed = { id: string; sortOrder: number };

export const isAfter = (object: Listed, position: CursorPosition): boolean =>
  object.sortOrder > position.sortOrder ||
  (object.sortOrder === position.sortOrder && object.id > position.id);

export const encodeCursor = (list: string, { sortOrder, id }: CursorPosition): string =>
  Buffer.from(JSON.stringify([list, sortOrder, id])).toString("base64url");

/**
 * Returns the position in a cursor.
 * @throws AppError invalid_cursor if the cursor was not issued by this list
 */
export function decodeCursor(list: string, cursor: string): CursorPosition {
  try {
    const [cursorList, sortOrder, id] = JSON.parse(
      Buffer.from(cursor, "base64url").toString(),
    ) as unknown[];
    if (cursorList === list && typeof sortOrder === "number" && typeof id === "string")
      return { sortOrder, id };
  } catch {
    // A text that is not a cursor is reported below.
  }
  const detail = "'cursor' was not issued by this list.";
  throw parametersError([{ parameter: "cursor", code: "invalid_cursor", detail }]);
}

/**
 * Returns the Link header to the next page. Ignored parameters are left out of the link, because a
 * cached response keeps the link that was made for its first client.
 */
export function linkToNext(url: string, search: string, cursor: string): string {
  const query = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => !IGNORED_PARAMETER.test(name)),
  );
  query.set("cursor", cursor);
  return `<${url}?${query}>; rel="next"`;
}

export type Page<T> = { objects: T[]; nextCursor: string | null };

/** Returns the objects after a cursor; all of them if there is no limit. */
export function paginate<T extends Listed>(
  list: string,
  objects: readonly T[],
  limit: number | undefined,
  cursor: string | undefined,
): Page<T> {
  const after = cursor === undefined ? undefined : decodeCursor(list, cursor);
  const remaining = after ? objects.filter((object) => isAfter(object, after)) : [...objects];
  const hasMore = limit !== undefined && remaining.length > limit;
  const last = hasMore ? remaining[limit - 1] : undefined;
  if (!last) return { objects: remaining, nextCursor: null };
  return { objects: remaining.slice(0, limit), nextCursor: encodeCursor(list, last) };
}

export const NO_STORE: RawHeaders = ["cache-control", "no-store"];
/**
 * Headers of responses that depend on the key, or that can change without a new catalog version.
 */
export const PRIVATE: RawHeaders = ["cache-control", "private, no-cache"];

/**
 * Returns the business of a key.
 * @throws AppError conflict if the business was deleted after the request was authorized
 */
export function getBusinessOfKey(
  rt: Runtime,
  { businessId }: Pick<Credential, "businessId">,
): BusinessRow {
  const business = rt.store.businesses.findById(businessId);
  if (!business) throw new AppError("conflict", "The business has just been deleted.");
  return business;
}

/** Returns the time zone of the business of a key; UTC for the key of a partner. */
export const getTimezone = (rt: Runtime, key: AnyCredential): string =>
  key.businessId === null ? "UTC" : getBusinessOfKey(rt, key).doc.timezone;

export const toPublicBusiness = ({ id, slug, doc: { name, timezone } }: BusinessRow) => ({
  id,
  slug,
  name,
  timezone,
});

export const businessUrl = (rt: Runtime, slug: string, path: string): string =>
  `${rt.config.http.publicUrl}/v1/businesses/${slug}/${path}`;

/** Returns the URL of an object of the key's business, or of the key's partner. */
export const urlOfKey = (rt: Runtime, key: AnyCredential, path: string): string =>
  key.businessId === null
    ? `${rt.config.http.publicUrl}/v1/${path}`
    : businessUrl(rt, key.businessSlug, path);

type PageOfList = { data: unknown[]; nextCursor: string | null };

/** Responds with one page of a list that is not part of the catalog. */
export const respondPage = (
  rt: Runtime,
  context: RequestContext,
  business: BusinessRow,
  path: string,
  page: PageOfList,
): HttpResponse =>
  respondPageAt(context, businessUrl(rt, business.slug, path), page, {
    business: toPublicBusiness(business),
  });

/** Responds with one page of a list of the key's business, or of the key's partner. */
export const respondPageOfKey = (
  rt: Runtime,
  context: RequestContext,
  key: AnyCredential,
  path: string,
  page: PageOfList,
): HttpResponse =>
  key.businessId === null
    ? respondPageAt(context, urlOfKey(rt, key, path), page, { partner: toPublicPartner(rt, key) })
    : respondPage(rt, context, getBusinessOfKey(rt, key), path, page);

export const toPublicPartner = (rt: Runtime, { partnerId }: PartnerCredential) => ({
  id: partnerId,
  name: rt.store.partnerAccess.findName(partnerId) ?? "",
});

/**
 * @param meta the business or partner of the list, and any further fields of `meta` in the response
 */
export function respondPageAt(
  context: RequestContext,
  url: string,
  { data, nextCursor }: PageOfList,
  meta: object,
  headers: RawHeaders = PRIVATE,
): HttpResponse {
  const page = { hasMore: nextCursor !== null, nextCursor };
  const link =
    nextCursor === null ? [] : ["link", linkToNext(url, context.request.search, nextCursor)];
  return respondJson(context, 200, { data, page, meta }, [...headers, ...link]);
}
