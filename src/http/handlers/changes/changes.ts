import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { AppError } from "../../../domain/errors.ts";
import {
  ADDITIONAL_EVENT_TYPES,
  ALL_EVENT_TYPES,
  EVENT_TYPES,
  type EventType,
  isEventType,
  mayReadEvent,
  maySubscribe,
} from "../../../domain/events/event-types.ts";
import { assertMaySubscribe } from "../../../app/webhooks/endpoint-owner.ts";
import { bodyFor } from "../../../domain/events/envelope.ts";
import { minIdAt } from "../../../domain/ids.ts";
import { lazy } from "../../../domain/lazy.ts";
import { didYouMean } from "../../../domain/nearest.ts";
import { safe } from "../../../domain/text.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import {
  type HttpResponse,
  respondBytes,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import {
  getBusinessOfKey,
  getTimezone,
  NO_STORE,
  toPublicBusiness,
} from "../../pipeline/business-response.ts";
import {
  cursor,
  instant,
  integer,
  list,
  pageSize,
  type ParametersOf,
  parametersError,
  parseParameters,
} from "../../pipeline/parameters.ts";
import type { AccessControl } from "../../auth/access-control.ts";
import type { LongPolls } from "./long-polls.ts";

const MAX_WAIT_SECONDS = 25;
export const DEFAULT_LIMIT = 100;
/** A page ends once its envelopes have this number of bytes. */
export const MAX_PAGE_BYTES = 1024 * 1024;
/** Maximum number of events that are read for a page, including those that it leaves out. */
export const MAX_SCANNED_EVENTS = 5000;
/** Maximum number of reads for a page that is still empty. */
export const MAX_SCANS = 20;

export const LATEST = "latest";
const CURSOR = /^([0-9a-z]{1,11})\.(?:([0-9a-f]{8})\.)?([\w-]{10})$/;

export const changesParameters = lazy(() => ({
  after: cursor().describe(
    "`page.nextCursor` of the previous response, or `latest` for events from now on; by default, the feed starts at the oldest event that is kept",
  ),
  since: instant().describe(
    "Instead of `after`: start at the first event created at or after this time, or at the oldest event that is kept",
  ),
  types: eventTypes(),
  limit: pageSize().describe(`Maximum number of events; ${DEFAULT_LIMIT} by default`),
  wait: waitSeconds(),
}));

export const eventTypes = () =>
  list()
    .superRefine((names, { addIssue }) => {
      for (const name of names)
        if (!isEventType(name))
          addIssue({
            code: "custom",
            message: unknownEventMessage(name),
            params: { code: "unknown_event" },
          });
    })
    .meta({
      inputSchema: { type: "array", items: { type: "string", enum: ALL_EVENT_TYPES }, minItems: 1 },
      description: `Filter by event type. Without it, all except those that are only sent to clients that name them: ${ADDITIONAL_EVENT_TYPES.map((type) => `\`${type}\``).join(", ")}`,
    });

export const waitSeconds = () =>
  integer(0, MAX_WAIT_SECONDS, "of seconds ").describe(
    "Long polling: seconds to wait for an event if there is none yet",
  );

/** Returns a message; `parseParameters` writes the name of the parameter before it. */
const unknownEventMessage = (name: string): string =>
  `knows no event '${safe(name, 60)}'.${didYouMean(name.slice(0, 60), ALL_EVENT_TYPES)}`;

type FeedEvent = { sequence: number; body: Buffer };
export type FeedPage = { events: FeedEvent[]; position: number; hasMore: boolean };

export function listChanges(
  rt: Runtime,
  longPolls: LongPolls,
  accessControl: AccessControl,
): (context: RequestContext, key: Credential) => Promise<HttpResponse> {
  return async (context, key) => {
    const { businessId } = key;
    const parameters = parseParameters(changesParameters(), context.request.search);
    const namedTypes = parameters.types as EventType[] | undefined;
    assertMaySubscribe(key, namedTypes ?? []);
    const types = new Set(namedTypes ?? EVENT_TYPES.filter((type) => maySubscribe(key, type)));
    const limit = parameters.limit ?? DEFAULT_LIMIT;
    // `lastSequence` is read before the page, so that a long poll also sees an event that was
    // written between the two reads.
    let lastSequence = rt.store.feed.getLastSequence(businessId);
    const start = getStart(rt, key, parameters);
    let page = readPage(rt, key, start, types, limit);
    for (let scans = 1; page.events.length === 0 && page.hasMore && scans < MAX_SCANS; scans++) {
      // `setImmediate` lets the server handle other requests between two reads.
      await setImmediate();
      page = readPage(rt, key, page.position, types, limit);
    }
    if (parameters.wait && isEmpty(page)) {
      const signal = AbortSignal.any([
        AbortSignal.timeout(parameters.wait * 1000),
        context.request.disconnected(),
        longPolls.closing,
      ]);
      while (isEmpty(page) && !signal.aborted) {
        await longPolls.waitForEvent(businessId, lastSequence, signal);
        // The business is checked before the key. A deleted business has no keys, and its client
        // gets `conflict` instead of an error about the key.
        getBusinessOfKey(rt, key);
        const current = accessControl.authenticateAgain(context);
        lastSequence = rt.store.feed.getLastSequence(businessId);
        page = readPage(rt, current, page.position, types, limit);
      }
    }
    const business = getBusinessOfKey(rt, key);
    lastSequence = rt.store.feed.getLastSequence(businessId);
    const meta = {
      business: toPublicBusiness(business),
      sequences: sequencesOf(page),
      lastSequence,
    };
    return respondWithFeed(rt, context, businessId, page, meta);
  };
}

export const isEmpty = ({ events, hasMore }: FeedPage): boolean => events.length === 0 && !hasMore;

/**
 * Returns the sequence number after which the feed starts.
 * @throws AppError invalid_cursor; cursor_expired if later events were pruned, or if a restored
 * backup may lack events that the client has seen
 */
function getStart(
  rt: Runtime,
  key: Credential,
  { after: cursor, since }: ParametersOf<ReturnType<typeof changesParameters>>,
): number {
  const { businessId } = key;
  if (since !== undefined) {
    if (cursor !== undefined) throw twoStartsError();
    return findStartAt(rt, businessId, since.resolve(getTimezone(rt, key)));
  }
  if (cursor === LATEST) return rt.store.feed.getLastSequence(businessId);
  const pruned = rt.store.feed.getPrunedSequence(businessId);
  if (cursor === undefined) return pruned;
  const decoded = decodeChangeCursor(businessId, cursor);
  if (decoded === undefined) throw foreignCursorError("after");
  const { feedId, position } = decoded;
  // A restored server may have lost events that the client has seen, and may since have given their
  // sequence numbers to other events. Its feeds then have another ID.
  const isOfFeed = feedId === rt.store.feed.getId();
  // A cursor after the last pruned event is valid, too: all later events are kept.
  const isKept =
    position === pruned || (position > pruned && rt.store.feed.find(businessId, position));
  if (isOfFeed && isKept) return position;
  throw cursorExpiredError();
}

export const cursorExpiredError = (): AppError =>
  new AppError(
    "cursor_expired",
    "The events after this cursor are no longer available: request 'after=latest', read every list again, then continue with the cursor of that response.",
  );

/** @param parameter the name of the parameter that has a cursor of another feed */
export function foreignCursorError(parameter: string): AppError {
  const detail = `'${parameter}' was not issued by this feed.`;
  return parametersError([{ parameter, code: "invalid_cursor", detail }]);
}

function twoStartsError(): AppError {
  const detail = "'since' cannot be combined with 'after'.";
  return parametersError([{ parameter: "since", code: "invalid_value", detail }]);
}

/**
 * Returns the sequence number after which the events begin that were created at `since` or later.
 */
function findStartAt(rt: Runtime, businessId: string, since: number): number {
  // IDs increase with the sequence, so a binary search finds the first event.
  const firstId = minIdAt("evt", since);
  let low = rt.store.feed.getPrunedSequence(businessId);
  let high = rt.store.feed.getLastSequence(businessId);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = rt.store.feed.findNext(businessId, middle);
    if (next === undefined || next.id >= firstId) high = middle;
    else low = next.sequence;
  }
  return low;
}

function readPage(
  rt: Runtime,
  key: Credential,
  after: number,
  types: ReadonlySet<EventType>,
  limit: number,
): FeedPage {
  const events: FeedEvent[] = [];
  let position = after;
  let bytes = 0;
  let scanned = 0;
  for (const { sequence, type } of rt.store.feed.iterateAfter(key.businessId, after)) {
    if (scanned === MAX_SCANNED_EVENTS) return { events, position, hasMore: true };
    scanned += 1;
    if (types.has(type)) {
      if (events.length === limit || bytes >= MAX_PAGE_BYTES)
        return { events, position, hasMore: true };
      const event = rt.store.feed.find(key.businessId, sequence);
      // An event may have been pruned since it was listed, and is then skipped.
      if (event && mayReadEvent(key, { type, ownerKeyId: event.ownerKeyId })) {
        const body = bodyFor(key, { type, body: event.body });
        events.push({ sequence, body });
        bytes += body.length;
      }
    }
    position = sequence;
  }
  return { events, position, hasMore: false };
}

export const sequencesOf = ({ events }: FeedPage): number[] =>
  events.map(({ sequence }) => sequence);

/**
 * Responds with a page. The events have the same bytes as in webhooks to the endpoints of the key.
 * @param ownerId the ID of the business or partner of the feed
 */
export function respondWithFeed(
  rt: Runtime,
  context: RequestContext,
  ownerId: string,
  { events, position, hasMore }: FeedPage,
  meta: object,
): HttpResponse {
  const comma = Buffer.from(",");
  const page = { hasMore, nextCursor: encodeChangeCursor(rt, ownerId, position) };
  const body = Buffer.concat([
    Buffer.from('{"data":['),
    ...events.flatMap(({ body }, i) => (i === 0 ? [body] : [comma, body])),
    Buffer.from(`],"page":${JSON.stringify(page)},"meta":${JSON.stringify(meta)}}`),
  ]);
  return respondBytes(context, 200, "application/json", body, NO_STORE);
}

/**
 * Returns a cursor for the events of a business after a sequence number.
 * @param businessId the ID of the business; the ID of the partner for the feed of a partner with
 * several businesses
 * @param position the sequence number
 */
export function encodeChangeCursor(
  { store }: Pick<Runtime, "store">,
  businessId: string,
  position: number,
): string {
  const feedId = store.feed.getId();
  const sum = checksum(feedId, businessId, position);
  return [position.toString(36), feedId, sum].filter((part) => part !== "").join(".");
}

/** Returns what a cursor contains; undefined if it was not issued for this business. */
export function decodeChangeCursor(
  businessId: string,
  cursor: string,
): { feedId: string; position: number } | undefined {
  const [, digits = "", feedId = "", sum] = CURSOR.exec(cursor) ?? [];
  const position = Number.parseInt(digits, 36);
  return sum === checksum(feedId, businessId, position) ? { feedId, position } : undefined;
}

/**
 * Cursors that were issued before feeds had an ID have an empty `feedId`. `trimEnd` gives them the
 * checksum that they had then.
 */
const checksum = (feedId: string, businessId: string, position: number): string =>
  hash("sha256", `changes ${businessId} ${position} ${feedId}`.trimEnd(), "base64url").slice(0, 10);
