import type { z } from "zod";
import type { NamedTableRequest, NamedVisitRequest } from "../../../domain/availability/request.ts";
import { accessOf } from "../../../app/bookings/access.ts";
import { holdTable, holdVisit, releaseHold } from "../../../app/bookings/holds.ts";
import { toPartnerHold } from "../../../app/bookings/partner-view.ts";
import { toPublicHold } from "../../../domain/bookings/hold.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import { getBusiness, PRIVATE } from "../../pipeline/business-response.ts";
import { toJsonReply } from "../../pipeline/idempotency.ts";
import { pathId } from "../../pipeline/object-handlers.ts";
import { parseParameters } from "../../pipeline/parameters.ts";
import { type HttpResponse, type RequestContext, respond } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";
import { withAlternatives } from "./alternatives.ts";
import { assertAlone, assertPresent, holdBody, parseBody, startOf } from "./bodies.ts";
import { commitAs } from "./writes.ts";

const SECOND_MS = 1000;

export const handleCreateHold =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(holdBody, await readJsonObject(context));
    const request = requestOf(body);
    const terms = { startsAt: startOf(body.startsAt), ttlMs: body.ttlSeconds * SECOND_MS };
    return withAlternatives(
      deps,
      context,
      key,
      () => ({ request, ...terms }),
      () =>
        commitAs(deps, context, key, (business, { readsAll }, isDryRun) => {
          const hold =
            "segments" in request
              ? holdVisit(rt, business, key.id, { request, ...terms })
              : holdTable(rt, business, key.id, { request, ...terms });
          const data = readsAll
            ? toPublicHold(hold, business.doc.timezone, rt.now())
            : toPartnerHold(rt, business, hold);
          return toJsonReply(isDryRun ? 200 : 201, { data }, PRIVATE);
        }),
    );
  };

function requestOf(body: z.output<typeof holdBody>): NamedVisitRequest | NamedTableRequest {
  const { segments, guests, partySize, areaId } = body;
  if (partySize !== undefined) {
    assertAlone(body, "partySize", ["segments", "guests"]);
    return { partySize, areaId: areaId ?? null };
  }
  assertPresent(body, ["segments"], "partySize");
  assertAlone(body, "segments", ["areaId"]);
  return { segments: segments ?? [], guests: guests ?? 1 };
}

export const handleReleaseHold =
  ({ rt }: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    await retryWhileBusy(rt, () =>
      rt.tx(() => releaseHold(rt, getBusiness(rt, key), accessOf(key), pathId(context))),
    );
    return respond(context, 204, []);
  };
