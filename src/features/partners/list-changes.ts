import { setImmediate } from "node:timers/promises";
import { assertMaySubscribe } from "../../app/webhooks/endpoint-owner.ts";
import type { Runtime } from "../../app/runtime.ts";
import { bodyFor } from "../../domain/events/envelope.ts";
import {
  EVENT_TYPES,
  type EventType,
  mayReadEvent,
  maySubscribe,
} from "../../domain/events/event-types.ts";
import { lazy } from "../../domain/lazy.ts";
import {
  DEFAULT_LIMIT,
  eventTypes,
  type FeedPage,
  isEmpty,
  LATEST,
  MAX_PAGE_BYTES,
  MAX_SCANNED_EVENTS,
  MAX_SCANS,
  respondWithFeed,
  sequencesOf,
  waitSeconds,
} from "../../http/handlers/changes/changes.ts";
import { toPublicPartner } from "../../http/pipeline/business-response.ts";
import { cursor, pageSize, parseParameters } from "../../http/pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../http/pipeline/request-context.ts";
import type { HandlerDeps } from "../../http/pipeline/route.ts";
import type { ListedKey, PartnerCredential } from "../../store/keys.ts";
import { startOf } from "./list-businesses.ts";
import { createPartnerStore, type PlacedEvent } from "./store.ts";

export const partnerChangesParameters = lazy(() => ({
  after: cursor().describe(
    "`page.nextCursor` of the previous response, or `latest` for events from now on; by default, the feed starts at the oldest event that is kept",
  ),
  types: eventTypes(),
  limit: pageSize().describe(`Maximum number of events; ${DEFAULT_LIMIT} by default`),
  wait: waitSeconds(),
}));

/** Responds with the events of all businesses that a partner reaches, in the order of commits. */
export const handleListPartnerChanges =
  ({ rt, longPolls, accessControl }: HandlerDeps) =>
  async (context: RequestContext, key: PartnerCredential): Promise<HttpResponse> => {
    const parameters = parseParameters(partnerChangesParameters(), context.request.search);
    const requestedTypes = parameters.types as EventType[] | undefined;
    assertMaySubscribe(key, requestedTypes ?? []);
    const types = new Set(requestedTypes ?? EVENT_TYPES.filter((type) => maySubscribe(key, type)));
    const limit = parameters.limit ?? DEFAULT_LIMIT;
    let page = readPage(rt, key, getStart(rt, key, parameters.after), types, limit);
    for (let scans = 1; page.events.length === 0 && page.hasMore && scans < MAX_SCANS; scans++) {
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
        // `null` means any business with partners.
        await longPolls.waitForEvent(null, page.position, signal);
        // The key may have lost rights while the request waited.
        const currentKey = accessControl.authenticatePartnerAgain(context);
        page = readPage(rt, currentKey, page.position, types, limit);
      }
    }
    const meta = { partner: toPublicPartner(rt, key), sequences: sequencesOf(page) };
    return respondWithFeed(rt, context, key.partnerId, page, meta);
  };

/**
 * Returns the position after which the feed starts.
 * @throws AppError invalid_cursor, cursor_expired
 */
function getStart(rt: Runtime, key: PartnerCredential, after: string | undefined): number {
  if (after === LATEST) return rt.store.feed.getLastPosition();
  return after === undefined ? rt.store.feed.getPrunedPosition() : startOf(rt, key, { after });
}

function readPage(
  rt: Runtime,
  key: PartnerCredential,
  after: number,
  types: ReadonlySet<EventType>,
  limit: number,
): FeedPage {
  const findAccess = createAccessFinder(rt, key);
  const events: FeedPage["events"] = [];
  // A page that reads all events ends at the feed's last position, because the last events may have
  // been deleted. That position is read first, so that no later commit is skipped.
  const end = Math.max(after, rt.store.feed.getLastPosition());
  let position = after;
  let bytes = 0;
  let scanned = 0;
  for (const placed of rt.openStore(createPartnerStore).iterateAfter(after)) {
    if (scanned === MAX_SCANNED_EVENTS) return { events, position, hasMore: true };
    scanned += 1;
    if (types.has(placed.type)) {
      if (events.length === limit || bytes >= MAX_PAGE_BYTES)
        return { events, position, hasMore: true };
      const access = findAccess(placed);
      // The event is skipped if it was pruned after it was listed.
      const event = access && rt.store.feed.find(placed.businessId, placed.sequence);
      if (access && event) {
        const body = bodyFor(access, { type: placed.type, body: event.body });
        events.push({ sequence: placed.sequence, body });
        bytes += body.length;
      }
    }
    position = placed.position;
  }
  return { events, position: Math.max(position, end), hasMore: false };
}

/** Returns a function that finds the access by which a partner may read an event. */
function createAccessFinder(rt: Runtime, { partnerId }: PartnerCredential) {
  const known = new Map<string, ListedKey | undefined>();
  return ({ businessId, type, ownerKeyId }: PlacedEvent): ListedKey | undefined => {
    if (type === "business.removed") {
      // The event `business.removed` names the access that ended, which the partner no longer has.
      const ended = ownerKeyId === null ? undefined : rt.store.keys.findById(ownerKeyId);
      return ended?.partnerId === partnerId ? ended : undefined;
    }
    if (!known.has(businessId))
      known.set(businessId, rt.store.partnerAccess.find(partnerId, businessId));
    const access = known.get(businessId);
    return access && mayReadEvent(access, { type, ownerKeyId }) ? access : undefined;
  };
}
