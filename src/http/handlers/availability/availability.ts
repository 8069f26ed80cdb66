import {
  type Availability,
  createAvailabilityFinder,
} from "../../../app/availability/availability.ts";
import { createEventLoopYield } from "../../../app/availability/yield-to-event-loop.ts";
import type { PublicDay } from "../../../domain/availability/public-slot.ts";
import { addDays, localDateOf } from "../../../domain/local-time.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { type AvailabilityRequest, parseAvailabilityRequest } from "./availability-parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { AccessControl } from "../../auth/access-control.ts";
import { createSharedResponses } from "./shared-responses.ts";
import { parametersError } from "../../pipeline/parameters.ts";

const MINUTE_MS = 60_000;
/** A chain of eight with fifty people for each would fill forty of them in two months; nobody reads that. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Who comes when so many are being worked on is told to come again. */
const MAX_SCANS = 20;

/** When a visit can be booked. Anybody may ask; who also asks why not needs a key of the business. */
export function getAvailability(
  rt: Runtime,
  gate: AccessControl,
): (call: RequestContext) => Promise<HttpResponse> {
  const ask = createAvailabilityFinder(rt, createEventLoopYield());
  const answer = createSharedResponses();
  let scans = 0;

  const build = async (
    business: BusinessRow,
    request: AvailabilityRequest,
    stop: AbortSignal,
  ): Promise<Buffer> => {
    const found = ask(business, { audience: "PUBLIC", ...request, signal: stop });
    if (scans >= MAX_SCANS)
      throw new AppError("busy", "Too many ask for availability at this moment.");
    scans += 1;
    try {
      return await writeBody(found, business, request);
    } finally {
      scans -= 1;
    }
  };

  return async (call) => {
    const { search, params } = call.request;
    const { slug = "" } = params;
    const isKeyed = wantsExplanation(search);
    if (isKeyed) gate.authenticate(call, slug, "services.read");
    const business = rt.store.businesses.findBySlug(slug);
    const request = parseAvailabilityRequest(
      search,
      business && localDateOf(call.now, business.doc.timezone),
    );
    if (!business || !request)
      throw new AppError("business_not_found", "There is no such business.");
    // Notice counts in whole minutes, rounded up, the horizon in those that have passed.
    const minute = call.now / MINUTE_MS;
    const asOf = `${stateOf(business)} ${Math.floor(minute)} ${Math.ceil(minute)}`;
    const caching = isKeyed ? "private, no-cache" : "public, max-age=0, must-revalidate";
    return answer(call, caching, `${slug}${search}`, asOf, (stop) =>
      build(business, request, stop),
    );
  };
}

/** Differs whenever something of the business has changed that an answer shows, and not with every delivery that is sent. */
const stateOf = ({ revision, lastSequence }: BusinessRow): string => `${revision} ${lastSequence}`;

const wantsExplanation = (search: string): boolean =>
  new URLSearchParams(search).getAll("explain").some((value) => value === "true" || value === "1");

async function writeBody(
  { terms: { timezone: zone, ...terms }, days, nextSlots }: Availability,
  { id, slug, doc: { name, timezone, currency, locale }, catalogVersion }: BusinessRow,
  { granularity, dates: { from, to }, limit }: AvailabilityRequest,
): Promise<Buffer> {
  const data: Record<string, unknown> = { timezone: zone, from, to, ...terms };
  // Written day by day, in the turns in which they are found.
  let written = "";
  let first: string | undefined;
  if (granularity === "next") {
    const slots = await nextSlots(limit, from);
    delete data["to"];
    data["slots"] = slots;
    first = slots[0]?.startsAt;
  } else {
    for await (const some of days()) {
      first ??= some.find(({ slots }) => slots.length > 0)?.slots[0]?.startsAt;
      for (const day of some)
        written += `${written === "" ? "" : ","}${JSON.stringify(shapes[granularity](day))}`;
      if (written.length > MAX_BODY_BYTES) throw tooLarge();
    }
    first ??= (await nextSlots(1, addDays(to, 1)))[0]?.startsAt;
  }
  const list = granularity === "next" ? "" : `,"days":[${written}]`;
  const meta = { business: { id, slug, name, timezone }, currency, locale, catalogVersion };
  const end = JSON.stringify({ nextAvailable: first ?? null }).slice(1);
  return Buffer.from(
    `{"data":${JSON.stringify(data).slice(0, -1)}${list},${end},"meta":${JSON.stringify(meta)}}`,
  );
}

const shapes = {
  slots: (day: PublicDay) => day,
  days: ({ date, state, slots }: PublicDay) => ({ date, state, slotCount: slots.length }),
};

const tooLarge = (): AppError =>
  parametersError([
    {
      parameter: "to",
      code: "range_too_large",
      detail: `The answer is larger than ${MAX_BODY_BYTES >> 20} MiB: ask for fewer days, or with granularity=days.`,
    },
  ]);
