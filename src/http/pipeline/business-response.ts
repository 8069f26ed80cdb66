import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Credential } from "../../store/keys.ts";
import {
  type HttpResponse,
  respondJson,
  type RequestContext,
  type RawHeaders,
} from "./request-context.ts";
import { linkToNext } from "./cursor.ts";

/** For an answer with a secret in it. */
export const NO_STORE: RawHeaders = ["cache-control", "no-store"];
/** For what one key sees and another does not, and what changes without a catalog version. */
export const PRIVATE: RawHeaders = ["cache-control", "private, no-cache"];

/** @throws AppError conflict when somebody has just removed it */
export function getBusiness(
  rt: Runtime,
  { businessId }: Pick<Credential, "businessId">,
): BusinessRow {
  const business = rt.store.businesses.findById(businessId);
  if (!business) throw new AppError("conflict", "The business was removed meanwhile.");
  return business;
}

export const getTimezone = (rt: Runtime, key: Credential): string =>
  getBusiness(rt, key).doc.timezone;

/** Where partners find `path` of a business. */
export const businessUrl = (rt: Runtime, slug: string, path: string): string =>
  `${rt.config.http.publicUrl}/v1/businesses/${slug}/${path}`;

/** A page of a list that is no part of the catalog, in the envelope of all lists. */
export function respondPage(
  rt: Runtime,
  call: RequestContext,
  { id, slug, doc: { name, timezone } }: BusinessRow,
  path: string,
  { data, nextCursor }: { data: unknown[]; nextCursor: string | null },
): HttpResponse {
  const page = { hasMore: nextCursor !== null, nextCursor };
  const link =
    nextCursor === null
      ? []
      : ["link", linkToNext(businessUrl(rt, slug, path), call.request.search, nextCursor)];
  const body = { data, page, meta: { business: { id, slug, name, timezone } } };
  return respondJson(call, 200, body, [...PRIVATE, ...link]);
}
