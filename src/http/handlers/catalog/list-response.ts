import { hash } from "node:crypto";
import { formatInstant } from "../../../domain/business-time.ts";
import { nextTransition } from "../../../domain/public/public-catalog.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import { toRawHeaders, type RawHeaders } from "../../pipeline/request-context.ts";
import type { ListRoute } from "./list-routes.ts";
import { linkToNext, paginate } from "../../pipeline/cursor.ts";
import { businessUrl } from "../../pipeline/business-response.ts";
import { chooseLocale, localise } from "./localisation.ts";
import { parseParameters } from "../../pipeline/parameters.ts";
import { createCatalogReader } from "./catalog-reader.ts";

/** Raised by a release that changes the shape of an answer, so that no client keeps the old one. */
const REPRESENTATION = 1;

/** An answer ready to be written, for as long as its catalog version and its moment last. */
export type CachedResponse = {
  catalogVersion: number;
  businessRevision: number;
  /** Epoch ms of the next instant at which it differs by the clock alone. */
  validUntil: number;
  etag: string;
  body: Buffer;
  /** What is told of it however it is encoded. */
  described: RawHeaders;
  headers: RawHeaders;
  notModifiedHeaders: RawHeaders;
  gzip: { body: Buffer; headers: RawHeaders } | undefined;
};

export const isCurrent = (prepared: CachedResponse, key: Credential, now: number): boolean =>
  prepared.catalogVersion === key.catalogVersion &&
  prepared.businessRevision === key.businessRevision &&
  now < prepared.validUntil;

/** Makes answers out of views. */
export function createListBuilder(
  rt: Runtime,
): (view: ListRoute, search: string, key: Credential, now: number) => CachedResponse {
  const readSource = createCatalogReader(rt);
  return (view, search, key, now) => {
    const asked = parseParameters(view.parameters, search);
    const { business, stored, shown, moment } = readSource(
      key.businessId,
      (timezone) => view.asOf?.(asked, timezone) ?? now,
    );
    const { slug, name, timezone, currency } = business.doc;

    const locale = chooseLocale(asked["locale"] as string | undefined, business.doc);
    const validUntil =
      view.timed && moment === now ? nextTransition(stored, now, [view.timed]) : null;
    const { objects, toData = (page) => page } = view.select(shown, asked, {
      now: moment,
      timezone,
    });
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

    const content = view.hashesBody
      ? body
      : JSON.stringify([view.path, search, business.updatedAt, validUntil]);
    const digest = hash("sha256", content, "base64url").slice(0, 16);
    const etag = `W/"c${business.catalogVersion}-${REPRESENTATION}-${digest}"`;
    const notModifiedHeaders = toRawHeaders({
      etag,
      "cache-control": "private, no-cache",
      "catalog-version": String(business.catalogVersion),
      vary: "Accept-Encoding",
    });
    const described = ["content-type", "application/json", ...notModifiedHeaders];
    if (page.nextCursor !== null)
      described.push("link", linkToNext(businessUrl(rt, slug, view.path), search, page.nextCursor));
    return {
      catalogVersion: business.catalogVersion,
      businessRevision: business.revision,
      validUntil: validUntil ?? Infinity,
      etag,
      body,
      described,
      headers: withContentLength(described, body),
      notModifiedHeaders,
      gzip: undefined,
    };
  };
}

export const withContentLength = (headers: RawHeaders, body: Buffer): RawHeaders => [
  ...headers,
  "content-length",
  String(body.length),
];
