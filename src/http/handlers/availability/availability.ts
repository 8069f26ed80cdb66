import type { YieldToEventLoop } from "../../../app/availability/yield-to-event-loop.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import type { RequestClient } from "../../auth/client-address.ts";
import { createHashedResponse, type CachedResponse } from "../../pipeline/cached-response.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { Scan, ScanQueue } from "./scan-queue.ts";
import type { Availability, AvailabilityFinder } from "../../../app/availability/availability.ts";
import { prepareBookableCatalog } from "../../../app/catalog/bookable-catalog.ts";
import { grants } from "../../../domain/api-key.ts";
import { withBookingRequest, type PublicSlot } from "../../../domain/availability/public-slot.ts";
import { addDays, localDateOf } from "../../../domain/local-time.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { type AvailabilityRequest, parseAvailabilityRequest } from "./availability-parameters.ts";
import type { AccessControl } from "../../auth/access-control.ts";
import { parametersError } from "../../pipeline/parameters.ts";

const MAX_CACHED_RESPONSES = 200;
/** Larger responses are not kept. */
const MAX_CACHED_BYTES = 256 * 1024;

type ResponseRequest = {
  /** Requests with equal IDs get the same response as long as `state` is the same. */
  id: string;
  /** A text that changes when the response may change. */
  state: string;
  client: RequestClient;
  cacheControl: string;
  build: (yieldToEventLoop: YieldToEventLoop) => Promise<Buffer>;
};

type SharedResponse = {
  state: string;
  scan: Scan<CachedResponse>;
  /** Undefined while the response is being built. */
  response: CachedResponse | undefined;
};

/**
 * Caches responses that are expensive to build. Concurrent requests for one response share a
 * scan, which ends when the last of their clients disconnects.
 */
export function createSharedResponses(
  scanQueue: ScanQueue,
): (context: RequestContext, request: ResponseRequest) => Promise<HttpResponse> {
  const cache = new BoundedCache<string, SharedResponse>(MAX_CACHED_RESPONSES);

  const startBuild = ({ id, state, cacheControl, build }: ResponseRequest): SharedResponse => {
    const remove = () => {
      if (cache.get(id) === shared) cache.delete(id);
    };
    const scan = scanQueue.add(async (yieldToEventLoop) => {
      try {
        const bytes = await build(yieldToEventLoop);
        if (bytes.length > MAX_CACHED_BYTES) remove();
        return (shared.response = createHashedResponse(
          bytes,
          ["cache-control", cacheControl],
          ["content-type", "application/json"],
        ));
      } catch (error) {
        remove();
        throw error;
      }
    });
    const shared: SharedResponse = { state, scan, response: undefined };
    cache.set(id, shared);
    return shared;
  };

  return async (context, request) => {
    const cached = cache.get(request.id);
    const shared = cached?.state === request.state ? cached : startBuild(request);
    const response =
      shared.response ?? (await shared.scan.waitAs(request.client, context.request.disconnected()));
    return response.respond(context);
  };
}

const MINUTE_MS = 60_000;
/**
 * A body reaches this size only for an extreme request, such as eight services in a row, each with
 * fifty staff members, for months.
 */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Returns the handler of a public route. A request needs a key of the business if it has `explain`.
 */
export function getAvailability(
  rt: Runtime,
  accessControl: AccessControl,
  scanQueue: ScanQueue,
  findAvailability: AvailabilityFinder,
): (context: RequestContext) => Promise<HttpResponse> {
  const respond = createSharedResponses(scanQueue);

  return async (context) => {
    const { search, params } = context.request;
    const { slug = "" } = params;
    const needsKey = requestsExplanation(search);
    // A key without bookings.read may see which starts cannot be booked, but not exactly why.
    const hidesReasons =
      needsKey &&
      !grants(accessControl.authenticate(context, slug, "services.read"), "bookings.read");
    const business = rt.store.businesses.findBySlug(slug);
    const request = parseAvailabilityRequest(
      search,
      business && localDateOf(context.now, business.doc.timezone),
    );
    if (!business || !request)
      throw new AppError("business_not_found", "There is no such business.");
    // The state contains the current minute twice: rounded up, as the minimum notice counts
    // minutes, and rounded down, as the horizon counts them.
    const minute = context.now / MINUTE_MS;
    return respond(context, {
      // The query string is not part of the ID: ignored parameters and other spellings must not
      // cause another scan.
      id: `${business.id} ${hidesReasons} ${JSON.stringify(request)}`,
      client: accessControl.getClient(context),
      state: `${stateOf(business)} ${rt.store.holds.getState(business.id, context.now)} ${Math.floor(minute)} ${Math.ceil(minute)}`,
      cacheControl: needsKey ? "private, no-cache" : "public, max-age=0, must-revalidate",
      build: async (yieldToEventLoop) => {
        await prepareBookableCatalog(rt, business);
        const query = { audience: "PUBLIC", ...request, hidesReasons, yieldToEventLoop } as const;
        return buildBody(findAvailability(business, query), business, request);
      },
    });
  };
}

/**
 * Returns a text that changes whenever something other than the time may change a response. Webhook
 * deliveries do not change the text.
 */
const stateOf = ({ revision, lastSequence }: BusinessRow): string => `${revision} ${lastSequence}`;

const requestsExplanation = (search: string): boolean =>
  new URLSearchParams(search).getAll("explain").some((value) => value === "true" || value === "1");

async function buildBody(
  availability: Availability,
  { id, slug, doc: { name, timezone, currency, locale }, catalogVersion }: BusinessRow,
  { request, granularity, dates: { from, to }, limit, includeBookingRequest }: AvailabilityRequest,
): Promise<Buffer> {
  const { timezone: responseTimezone, ...terms } = availability.terms;
  availability.assertNotTooLarge(granularity === "next" ? "next" : "days");
  const data: Record<string, unknown> = { timezone: responseTimezone, from, to, ...terms };
  // The days are serialized in chunks as they are found, so that other requests run in between.
  let daysJson = "";
  let nextAvailable: string | undefined;
  const withRequests = (slots: PublicSlot[]): PublicSlot[] =>
    includeBookingRequest ? slots.map((slot) => withBookingRequest(slot, request)) : slots;
  const addDay = (day: object): void => {
    daysJson += `${daysJson === "" ? "" : ","}${JSON.stringify(day)}`;
    if (daysJson.length > MAX_BODY_BYTES) throw bodyTooLarge();
  };
  if (granularity === "next") {
    const slots = await availability.nextSlots(limit, from);
    // The search for the next slots has no last day.
    delete data["to"];
    data["slots"] = withRequests(slots);
    nextAvailable = slots[0]?.startsAt;
  } else {
    if (granularity === "days")
      for await (const chunk of availability.dayCounts())
        for (const { firstStart, ...day } of chunk) {
          nextAvailable ??= firstStart;
          addDay(day);
        }
    else
      for await (const chunk of availability.days())
        for (const day of chunk) {
          nextAvailable ??= day.slots[0]?.startsAt;
          addDay(includeBookingRequest ? { ...day, slots: withRequests(day.slots) } : day);
        }
    nextAvailable ??= (await availability.nextSlots(1, addDays(to, 1)))[0]?.startsAt;
  }
  // The days are serialized already, so the body is joined from texts: `data` without its last
  // brace, the days, and `nextAvailable` without its first brace.
  const daysField = granularity === "next" ? "" : `,"days":[${daysJson}]`;
  const meta = { business: { id, slug, name, timezone }, currency, locale, catalogVersion };
  const lastField = JSON.stringify({ nextAvailable: nextAvailable ?? null }).slice(1);
  return Buffer.from(
    `{"data":${JSON.stringify(data).slice(0, -1)}${daysField},${lastField},"meta":${JSON.stringify(meta)}}`,
  );
}

const bodyTooLarge = (): AppError =>
  parametersError([
    {
      parameter: "to",
      code: "range_too_large",
      detail: `The response would be larger than ${MAX_BODY_BYTES >> 20} MiB: request fewer days, or use granularity=days.`,
    },
  ]);
