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
  type RequestContext,
  getHeader,
} from "../../pipeline/request-context.ts";
import { paginate } from "../../pipeline/cursor.ts";
import {
  respondData,
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

/** Documents the body. `createEndpoint` validates it, because the CLI uses the same checks. */
export const createEndpointBody = z.strictObject({
  name: z.string().min(1).max(100).describe("Label of the endpoint"),
  url: z
    .string()
    .describe("URL to send events to: https, with a public address; a fragment is removed"),
  events: z.array(z.enum(EVENT_TYPES)).min(1).describe("Event types to send"),
});

/** Lists endpoints, oldest first. */
export const listEndpoints =
  (rt: Runtime) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const { limit, cursor } = parseParameters(ENDPOINTS_PARAMETERS, context.request.search);
    const business = getBusiness(rt, key);
    // IDs increase with time, so sorting by ID alone is enough.
    const endpoints = listOwnEndpoints(rt, key).map((endpoint) => ({ ...endpoint, sortOrder: 0 }));
    const { objects, nextCursor } = paginate(PATH, endpoints, limit, cursor);
    const data = objects.map((endpoint) => toPublicEndpoint(endpoint, business.doc.timezone));
    return respondPage(rt, context, business, PATH, { data, nextCursor });
  };

export const handleCreateEndpoint =
  (rt: Runtime) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const idempotencyKey = readIdempotencyKey(context);
    const { name, url, events, ...others } = await readJsonObject(context);
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
    return respondData(context, data, 201, ["location", location, ...NO_STORE]);
  };

function readIdempotencyKey(context: RequestContext): string | undefined {
  const value = getHeader(context.request, "idempotency-key");
  if (value === undefined || IDEMPOTENCY_KEY.test(value)) return value;
  const detail =
    "Invalid Idempotency-Key: expected 1 to 255 printable ASCII characters without spaces.";
  throw new AppError("invalid_parameter", detail, {
    issues: [{ parameter: "Idempotency-Key", code: "invalid_value", detail }],
  });
}
