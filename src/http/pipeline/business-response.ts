import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Credential } from "../../store/keys.ts";
import { linkToNext } from "./cursor.ts";
import {
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  respondJson,
} from "./request-context.ts";

export const NO_STORE: RawHeaders = ["cache-control", "no-store"];
/** Headers of responses that depend on the key, or change without a new catalog version. */
export const PRIVATE: RawHeaders = ["cache-control", "private, no-cache"];

/** @throws AppError conflict if the business has been deleted since the request was authorized */
export function getBusiness(
  rt: Runtime,
  { businessId }: Pick<Credential, "businessId">,
): BusinessRow {
  const business = rt.store.businesses.findById(businessId);
  if (!business) throw new AppError("conflict", "The business has just been deleted.");
  return business;
}

export const getTimezone = (rt: Runtime, key: Credential): string =>
  getBusiness(rt, key).doc.timezone;

export const toPublicBusiness = ({ id, slug, doc: { name, timezone } }: BusinessRow) => ({
  id,
  slug,
  name,
  timezone,
});

export const businessUrl = (rt: Runtime, slug: string, path: string): string =>
  `${rt.config.http.publicUrl}/v1/businesses/${slug}/${path}`;

/** Responds with a page of a list that is not part of the catalog. */
export function respondPage(
  rt: Runtime,
  context: RequestContext,
  business: BusinessRow,
  path: string,
  { data, nextCursor }: { data: unknown[]; nextCursor: string | null },
): HttpResponse {
  const page = { hasMore: nextCursor !== null, nextCursor };
  const link =
    nextCursor === null
      ? []
      : [
          "link",
          linkToNext(businessUrl(rt, business.slug, path), context.request.search, nextCursor),
        ];
  const body = { data, page, meta: { business: toPublicBusiness(business) } };
  return respondJson(context, 200, body, [...PRIVATE, ...link]);
}
