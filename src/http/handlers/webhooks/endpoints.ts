import { z } from "zod";
import { createEndpoint } from "../../../app/webhooks/endpoints.ts";
import { listOwnEndpoints } from "../../../app/webhooks/own-webhooks.ts";
import { AppError } from "../../../domain/errors.ts";
import { EVENT_TYPES } from "../../../domain/event-types.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import {
  type HttpResponse,
  respondJson,
  type RequestContext,
  getHeader,
} from "../../pipeline/request-context.ts";
import { paginate } from "../../pipeline/cursor.ts";
import {
  respondPage,
  getBusiness,
  NO_STORE,
  getTimezone,
  businessUrl,
} from "../../pipeline/business-response.ts";
import { cursor, pageSize, parseParameters } from "../../pipeline/parameters.ts";
import { toPublicEndpoint } from "./public-webhooks.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const PATH = "webhooks";

export const ENDPOINTS_PARAMETERS = { limit: pageSize, cursor };

/** What may be sent of an endpoint. app/webhooks/endpoint-checks.ts judges it, for the terminal as well. */
export const createEndpointBody = z.strictObject({
  name: z.string().min(1).max(100).describe("Label of the endpoint"),
  url: z
    .string()
    .describe("URL to send events to; must be https with a public address. A fragment is removed"),
  events: z.array(z.enum(EVENT_TYPES)).min(1).describe("Event types to send"),
});

/** The oldest first. */
export const listEndpoints =
  (rt: Runtime) =>
  (call: RequestContext, key: Credential): HttpResponse => {
    const { limit, cursor } = parseParameters(ENDPOINTS_PARAMETERS, call.request.search);
    const business = getBusiness(rt, key);
    // Ids rise with time: by them alone they are in order.
    const endpoints = listOwnEndpoints(rt, key).map((endpoint) => ({ ...endpoint, sortOrder: 0 }));
    const { objects, nextCursor } = paginate(PATH, endpoints, limit, cursor);
    const data = objects.map((endpoint) => toPublicEndpoint(endpoint, business.doc.timezone));
    return respondPage(rt, call, business, PATH, { data, nextCursor });
  };

export const handleCreateEndpoint =
  (rt: Runtime) =>
  async (call: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, call.request.search);
    const idempotencyKey = readIdempotencyKey(call);
    const { name, url, events, ...others } = await readJsonObject(call);
    const { endpoint, secret } = await retryWhileBusy(rt, () =>
      createEndpoint(rt, {
        businessId: key.businessId,
        keyId: key.id,
        name,
        url,
        events,
        allowPrivate: false,
        unknownFields: Object.keys(others),
        idempotencyKey,
      }),
    );
    const location = businessUrl(rt, key.businessSlug, `${PATH}/${endpoint.id}`);
    const data = { ...toPublicEndpoint(endpoint, getTimezone(rt, key)), secret };
    return respondJson(call, 201, { data }, ["location", location, ...NO_STORE]);
  };

function readIdempotencyKey(call: RequestContext): string | undefined {
  const sent = getHeader(call.request, "idempotency-key");
  if (sent === undefined || IDEMPOTENCY_KEY.test(sent)) return sent;
  const detail = "Idempotency-Key has 1 to 255 characters of ASCII, without a space.";
  throw new AppError("invalid_parameter", detail, {
    issues: [{ parameter: "Idempotency-Key", code: "invalid_value", detail }],
  });
}
