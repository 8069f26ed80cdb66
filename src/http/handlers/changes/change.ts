import { bodyFor } from "../../../domain/events/envelope.ts";
import { AppError } from "../../../domain/errors.ts";
import { mayReadEvent } from "../../../domain/events/event-types.ts";
import type { Credential } from "../../../store/keys.ts";
import { getBusinessOfKey, NO_STORE, toPublicBusiness } from "../../pipeline/business-response.ts";
import { pathId } from "../../pipeline/object-handlers.ts";
import { assertNoParameters } from "../../pipeline/parameters.ts";
import {
  type HttpResponse,
  respondBytes,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { encodeChangeCursor } from "./changes.ts";

/** Responds with one event, if the key may read the event in the feed. */
export const handleGetChange =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    assertNoParameters(context.request.search);
    const event = rt.store.events.findById(pathId(context));
    if (event?.businessId !== key.businessId || !mayReadEvent(key, event))
      throw new AppError("resource_not_found", "There is no event with this ID.");
    const { sequence, businessId } = event;
    const business = toPublicBusiness(getBusinessOfKey(rt, key));
    const meta = { business, sequence, cursor: encodeChangeCursor(rt, businessId, sequence) };
    // The event has the same bytes as in webhooks to the endpoints of the key.
    const body = Buffer.concat([
      Buffer.from('{"data":'),
      bodyFor(key, event),
      Buffer.from(`,"meta":${JSON.stringify(meta)}}`),
    ]);
    return respondBytes(context, 200, "application/json", body, NO_STORE);
  };
