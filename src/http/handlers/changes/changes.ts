import { AppError } from "../../../domain/errors.ts";
import { EVENT_TYPES, isEventType } from "../../../domain/event-types.ts";
import { didYouMean } from "../../../domain/nearest.ts";
import { safe } from "../../../domain/safe-text.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import {
  type HttpResponse,
  respondBytes,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import { decodeChangeCursor, encodeChangeCursor } from "./change-cursor.ts";
import { getBusiness, NO_STORE } from "../../pipeline/business-response.ts";
import { cursor, list, pageSize, parseParameters, integer } from "../../pipeline/parameters.ts";
import type { LongPolls } from "./long-polls.ts";

const MAX_WAIT_SECONDS = 25;
const DEFAULT_LIMIT = 100;
/** A page ends after this many bytes of envelopes, and after this many events that were looked through. */
const PAGE_BYTES = 1024 * 1024;
const SCANNED = 5000;

export const CHANGES_PARAMETERS = {
  after: cursor.describe(
    "`page.nextCursor` of the previous response; by default, the feed starts at the oldest event that is kept",
  ),
  types: list
    .superRefine((names, { addIssue }) => {
      for (const name of names)
        if (!isEventType(name))
          addIssue({
            code: "custom",
            message: tellUnknown(name),
            params: { code: "unknown_event" },
          });
    })
    .meta({
      inputSchema: { type: "array", items: { type: "string", enum: EVENT_TYPES }, minItems: 1 },
      description: "Filter by event type",
    }),
  limit: pageSize.describe(`Maximum number of events; ${DEFAULT_LIMIT} by default`),
  wait: integer(0, MAX_WAIT_SECONDS, "of seconds ").describe(
    "Long polling: seconds to wait for an event if there is none yet",
  ),
};

const tellUnknown = (name: string): string =>
  `knows no event '${safe(name, 60)}'.${didYouMean(name.slice(0, 60), EVENT_TYPES)}`;

/** A stretch of the feed: the envelopes that were asked for, and how far it was looked through. */
type Stretch = { envelopes: Buffer[]; position: number; hasMore: boolean };

/** The feed of a business's events: the same envelopes as its webhooks, for whoever was down or cannot be called. */
export function listChanges(
  rt: Runtime,
  room: LongPolls,
): (call: RequestContext, key: Credential) => Promise<HttpResponse> {
  return async (call, key) => {
    const { businessId } = key;
    const asked = parseParameters(CHANGES_PARAMETERS, call.request.search);
    const types = asked.types && new Set(asked.types);
    const limit = asked.limit ?? DEFAULT_LIMIT;
    let known = rt.store.feed.getLastSequence(businessId);
    let stretch = readStretch(rt, businessId, startOf(rt, businessId, asked.after), types, limit);
    if (asked.wait && isEmpty(stretch)) {
      const over = AbortSignal.any([
        AbortSignal.timeout(asked.wait * 1000),
        call.request.disconnected(),
        room.closing,
      ]);
      while (isEmpty(stretch) && !over.aborted) {
        await room.waitForEvent(businessId, known, over);
        requireStillValid(rt, key);
        known = rt.store.feed.getLastSequence(businessId);
        stretch = readStretch(rt, businessId, stretch.position, types, limit);
      }
    }
    return respondBytes(
      call,
      200,
      "application/json",
      toBody(getBusiness(rt, key), stretch),
      NO_STORE,
    );
  };
}

/** Since it was let in it may have been revoked, or have gone with its business, which may be there anew. */
function requireStillValid(rt: Runtime, key: Credential): void {
  getBusiness(rt, key);
  if (rt.store.keys.findById(key.id)?.revokedAt !== null)
    throw new AppError("revoked_key", "This key was revoked meanwhile.");
}

const isEmpty = ({ envelopes, hasMore }: Stretch): boolean => envelopes.length === 0 && !hasMore;

/** @throws AppError invalid_cursor; cursor_expired when events after it are no longer kept, or it is of another history */
function startOf(rt: Runtime, businessId: string, cursor: string | undefined): number {
  const forgotten = rt.store.feed.getPrunedSequence(businessId);
  if (cursor === undefined) return forgotten;
  const position = decodeChangeCursor(businessId, cursor);
  if (position === undefined) {
    const detail = "'after' is not a cursor that this feed has given out.";
    throw new AppError("invalid_cursor", detail, {
      issues: [{ parameter: "after", code: "invalid_cursor", detail }],
    });
  }
  // An event that is not there was told by a file that has since been replaced by its backup.
  if (
    position === forgotten ||
    (position > forgotten && rt.store.feed.findBody(businessId, position))
  )
    return position;
  throw new AppError(
    "cursor_expired",
    "What follows this cursor is not kept any more: read every list again, then go on without 'after'.",
  );
}

function readStretch(
  rt: Runtime,
  businessId: string,
  after: number,
  types: ReadonlySet<string> | undefined,
  limit: number,
): Stretch {
  const scanned = rt.store.feed.listAfter(businessId, after, types ? SCANNED : limit + 1);
  const envelopes: Buffer[] = [];
  let position = after;
  let bytes = 0;
  for (const { sequence, type } of scanned) {
    if (!types || types.has(type)) {
      if (envelopes.length === limit || bytes >= PAGE_BYTES)
        return { envelopes, position, hasMore: true };
      const body = rt.store.feed.findBody(businessId, sequence);
      // Pruned since it was seen: it goes on with what is left, which the next cursor says.
      if (body) envelopes.push(body);
      bytes += body?.length ?? 0;
    }
    position = sequence;
  }
  return { envelopes, position, hasMore: types !== undefined && scanned.length === SCANNED };
}

/** The envelopes' bytes are not read, so that they stay what they are. */
function toBody(
  { id, slug, doc: { name, timezone } }: BusinessRow,
  { envelopes, position, hasMore }: Stretch,
): Buffer {
  const comma = Buffer.from(",");
  const page = { hasMore, nextCursor: encodeChangeCursor(id, position) };
  const meta = { business: { id, slug, name, timezone } };
  return Buffer.concat([
    Buffer.from('{"data":['),
    ...envelopes.flatMap((envelope, i) => (i === 0 ? [envelope] : [comma, envelope])),
    Buffer.from(`],"page":${JSON.stringify(page)},"meta":${JSON.stringify(meta)}}`),
  ]);
}
