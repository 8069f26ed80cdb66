import { hash } from "node:crypto";
import type { Runtime } from "../../app/runtime.ts";
import { lazy } from "../../domain/lazy.ts";
import {
  cursorExpiredError,
  decodeChangeCursor,
  encodeChangeCursor,
  foreignCursorError,
} from "../../http/handlers/changes/changes.ts";
import {
  decodeCursor,
  encodeCursor,
  PRIVATE,
  respondPageAt,
  toPublicPartner,
  urlOfKey,
} from "../../http/pipeline/business-response.ts";
import { matchesEtag } from "../../http/pipeline/cached-response.ts";
import { cursor, pageSize, parseParameters } from "../../http/pipeline/parameters.ts";
import {
  getHeader,
  type HttpResponse,
  type RequestContext,
  respond,
} from "../../http/pipeline/request-context.ts";
import type { HandlerDeps } from "../../http/pipeline/route.ts";
import type { PartnerCredential } from "../../store/keys.ts";
import { createPartnerStore, type ReachedBusiness } from "./store.ts";

const LIST = "businesses";
const DEFAULT_LIMIT = 500;
/** The most changes that one request reads, including those of other partners' businesses. */
const MAX_SCANNED = 20_000;

export const businessesParameters = lazy(() => ({
  changedSince: cursor().describe(
    "`meta.cursor` of an earlier response: only the businesses whose catalog has changed since then, or that were added",
  ),
  limit: pageSize().describe(`Maximum number of businesses; ${DEFAULT_LIMIT} by default`),
  cursor: cursor(),
}));

type Page = { data: ReachedBusiness[]; nextCursor: string | null; position: number };

/** Responds with the businesses that a partner reaches, or only the changed ones. */
export const handleListBusinesses =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: PartnerCredential): HttpResponse => {
    const {
      changedSince,
      cursor,
      limit = DEFAULT_LIMIT,
    } = parseParameters(businessesParameters(), context.request.search);
    // The position is part of the ETag, because nearly each change of a response has an event. Two
    // changes have none: the deletion of a business, which changes the count, and a new name of the
    // partner.
    const position = rt.store.feed.getLastPosition();
    const count = rt.openStore(createPartnerStore).countReached(key.partnerId);
    const partner = toPublicPartner(rt, key);
    const nameHash = hash("sha256", partner.name).slice(0, 8);
    const etag = `W/"${rt.store.feed.getId()}-${position}-${count}-${nameHash}"`;
    const headers = [...PRIVATE, "etag", etag];
    // The next page of changes also begins at a position, so `cursor` replaces `changedSince`
    // there.
    const since =
      changedSince === undefined
        ? null
        : startOf(rt, key, cursor === undefined ? { changedSince } : { cursor });
    if (matchesEtag(getHeader(context.request, "if-none-match"), etag))
      return respond(context, 304, headers);
    const page =
      since === null
        ? listAll(rt, key, position, limit, cursor)
        : listChanged(rt, key, { since, until: position }, limit);
    const meta = {
      partner,
      count,
      cursor: encodeChangeCursor(rt, key.partnerId, page.position),
    };
    return respondPageAt(context, urlOfKey(rt, key, LIST), page, meta, headers);
  };

/**
 * Returns the position in a cursor of a partner.
 * @param given an object with the cursor under the name of its query parameter, such as
 * `changedSince`
 * @throws AppError invalid_cursor; cursor_expired if later changes are no longer stored, or if a
 * restored backup may lack changes that the client has seen
 */
export function startOf(
  rt: Runtime,
  { partnerId }: PartnerCredential,
  given: Readonly<Record<string, string>>,
): number {
  const [[parameter, cursor] = ["", ""]] = Object.entries(given);
  const decoded = decodeChangeCursor(partnerId, cursor);
  if (decoded === undefined) throw foreignCursorError(parameter);
  const { feedId, position } = decoded;
  if (feedId !== rt.store.feed.getId() || position < rt.store.feed.getPrunedPosition())
    throw cursorExpiredError();
  return position;
}

function listAll(
  rt: Runtime,
  { partnerId }: PartnerCredential,
  position: number,
  limit: number,
  cursor: string | undefined,
): Page {
  const after = cursor === undefined ? "" : decodeCursor(LIST, cursor).id;
  const found = rt.openStore(createPartnerStore).listReached(partnerId, after, limit + 1);
  const data = found.slice(0, limit);
  // One business more than the limit is read, to know whether there is a next page.
  const last = found.length > limit ? data.at(-1) : undefined;
  return {
    data,
    // The list is sorted by ID, so the cursor's other field is not used.
    nextCursor: last ? encodeCursor(LIST, { sortOrder: 0, id: last.id }) : null,
    position,
  };
}

/**
 * Lists the businesses that have changed since a position, in the order of their first change after
 * it.
 * @param until the last position when the request began. The last page ends there even if the last
 *   events were deleted. Later events belong to the next request
 */
function listChanged(
  rt: Runtime,
  { partnerId }: PartnerCredential,
  { since, until }: { since: number; until: number },
  limit: number,
): Page {
  const store = rt.openStore(createPartnerStore);
  const seen = new Set<string>();
  const data: ReachedBusiness[] = [];
  let position = since;
  let scanned = 0;
  for (const change of store.iterateChanges(since)) {
    if (data.length === limit || scanned === MAX_SCANNED)
      return { data, nextCursor: encodeChangeCursor(rt, partnerId, position), position };
    scanned += 1;
    if (!seen.has(change.businessId)) {
      seen.add(change.businessId);
      const business = store.findReached(partnerId, change.businessId);
      if (business) data.push(business);
    }
    position = change.position;
  }
  return { data, nextCursor: null, position: Math.max(position, until) };
}
