import { hash } from "node:crypto";
import type { Runtime } from "../../../app/runtime.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import { nextTransition } from "../../../domain/public/public-catalog.ts";
import type { Credential } from "../../../store/keys.ts";
import { businessUrl } from "../../pipeline/business-response.ts";
import {
  type CachedResponse,
  compressible,
  createCachedResponse,
} from "../../pipeline/cached-response.ts";
import { linkToNext, paginate } from "../../pipeline/cursor.ts";
import { parseParameters } from "../../pipeline/parameters.ts";
import { toRawHeaders } from "../../pipeline/request-context.ts";
import { createCatalogReader } from "./catalog-reader.ts";
import type { ListRoute } from "./list-routes.ts";
import { chooseLocale, localise } from "./localisation.ts";

/** Increment it when a release changes the response format, so that clients drop their copies. */
const FORMAT_VERSION = 1;

/** A response with the business state and the time for which it is valid. */
export type ListResponse = CachedResponse & {
  catalogVersion: number;
  businessRevision: number;
  /** Epoch milliseconds of the next change caused by time alone; Infinity if there is none. */
  validUntil: number;
  bodyBytes: number;
};

export const isCurrent = (response: ListResponse, key: Credential, now: number): boolean =>
  response.catalogVersion === key.catalogVersion &&
  response.businessRevision === key.businessRevision &&
  now < response.validUntil;

/** Builds the responses of the catalog's lists. */
export function createListBuilder(
  rt: Runtime,
): (route: ListRoute, search: string, key: Credential, now: number) => ListResponse {
  const readCatalog = createCatalogReader(rt);
  return (route, search, key, now) => {
    const parameters = parseParameters(route.parameters, search);
    const { business, stored, publicCatalog, asOf } = readCatalog(
      key.businessId,
      (timezone) => route.asOf?.(parameters, timezone) ?? now,
    );
    const { slug, name, timezone, currency } = business.doc;

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
          business: { id: business.id, slug, name, timezone },
          currency,
          locale,
          catalogVersion: business.catalogVersion,
          validUntil: validUntil === null ? null : formatInstant(validUntil, timezone),
        },
      }),
    );

    const hashed = route.hashesBody
      ? body
      : JSON.stringify([route.path, search, business.updatedAt, validUntil]);
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
}
