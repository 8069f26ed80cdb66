import type { z } from "zod";
import type {
  NamedTableRequest,
  NamedSegmentsRequest,
} from "../../../domain/availability/request.ts";
import { accessOf, type VisitAccess, toPartnerHold } from "../../../app/bookings/access.ts";
import { createHold, getHold, releaseHold } from "../../../app/bookings/holds.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { type Hold, type PublicHold, toPublicHold } from "../../../domain/bookings/hold.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import { getBusinessOfKey, PRIVATE } from "../../pipeline/business-response.ts";
import { toJsonReply, retryWhileBusy } from "../../pipeline/idempotency.ts";
import { handleGet, pathId } from "../../pipeline/object-handlers.ts";
import { assertNoParameters } from "../../pipeline/parameters.ts";
import { type HttpResponse, type RequestContext, respond } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { withAlternatives } from "./alternatives.ts";
import { assertAlone, assertPresent, holdBody, parseBody, startInBody } from "./bodies.ts";
import { createAs } from "./writes.ts";

const SECOND_MS = 1000;

export const handleCreateHold =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(holdBody(), await readJsonObject(context));
    const wanted = { request: requestOf(body), startsAt: startInBody(body.startsAt) };
    const ttlMs = body.ttlSeconds * SECOND_MS;
    return withAlternatives(
      deps,
      context,
      key,
      () => wanted,
      () =>
        createAs(deps, context, key, (business, access, isDryRun) => {
          const client = { keyId: key.id, visitor: access.visitor ?? null };
          const hold = createHold(rt, business, client, { ...wanted, ttlMs });
          const data = toPublic(rt, business, access, hold);
          return toJsonReply(isDryRun ? 200 : 201, { data }, PRIVATE);
        }),
    );
  };

const toPublic = (
  rt: Runtime,
  business: BusinessRow,
  { readsAll }: VisitAccess,
  hold: Hold,
): PublicHold =>
  readsAll
    ? toPublicHold(hold, business.doc.timezone, rt.now())
    : toPartnerHold(rt, business, hold);

function requestOf(
  body: z.output<ReturnType<typeof holdBody>>,
): NamedSegmentsRequest | NamedTableRequest {
  const { segments, guests, partySize, areaId } = body;
  if (partySize !== undefined) {
    assertAlone(body, "partySize", ["segments", "guests"]);
    return { partySize, areaId: areaId ?? null };
  }
  assertPresent(body, ["segments"], "partySize");
  assertAlone(body, "segments", ["areaId"]);
  return { segments: segments ?? [], guests: guests ?? 1 };
}

export const handleGetHold =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const access = accessOf(key);
    const business = getBusinessOfKey(rt, key);
    return handleGet(
      { rt },
      () => getHold(rt, business, access, pathId(context)),
      (hold) => toPublic(rt, business, access, hold),
    )(context, key);
  };

export const handleReleaseHold =
  ({ rt }: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    assertNoParameters(context.request.search);
    await retryWhileBusy(rt, () =>
      releaseHold(rt, getBusinessOfKey(rt, key), accessOf(key), pathId(context)),
    );
    return respond(context, 204, []);
  };
