import { z } from "zod";
import { enableEndpoint } from "../../../app/webhooks/endpoint-lifecycle.ts";
import {
  finishSecretRotation,
  rotateEndpointSecret,
} from "../../../app/webhooks/endpoint-secrets.ts";
import { getOwnEndpoint } from "../../../app/webhooks/own-webhooks.ts";
import { formatInstant } from "../../../domain/local-time.ts";
import { parseRequest } from "../../../domain/bookings/requests.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { EndpointRow } from "../../../store/endpoints.ts";
import type { Credential } from "../../../store/keys.ts";
import type { HandlerResult } from "../../pipeline/route-path.ts";
import { readOptionalJsonObject } from "../../pipeline/body.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import { pathId } from "./endpoint.ts";
import { getTimezone, NO_STORE, respondData } from "../../pipeline/business-response.ts";
import { instant, parseParameters } from "../../pipeline/parameters.ts";
import { toPublicEndpoint } from "./public-webhooks.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

const DAY_SECONDS = 86_400;
const OVERLAP = { error: `a whole number of seconds from 0 to ${7 * DAY_SECONDS}` };

// The error texts of these schemas are nouns: the caller adds "must be".

export const emptyBody = z.strictObject({});

export const enableEndpointBody = z.strictObject({
  recover: z
    .union([z.enum(["all", "none"]), instant], {
      error: "all, none, or a date and time such as 2026-12-31T18:00:00+01:00",
    })
    .default("all")
    .describe(
      "Which missed events to send: `all` (the default), `none`, or those since a past date and time; the others are cancelled",
    ),
});

export const rotateSecretBody = z.strictObject({
  overlapSeconds: z
    .int(OVERLAP)
    .min(0, OVERLAP)
    .max(7 * DAY_SECONDS, OVERLAP)
    .default(DAY_SECONDS)
    .describe("How long both secrets stay valid, in seconds"),
  force: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Start a new rotation even if one is in progress; the oldest secret is dropped"),
});

type Action<Shape extends z.ZodRawShape> = (
  context: RequestContext,
  endpoint: EndpointRow,
  body: z.output<z.ZodObject<Shape>>,
  timezone: string,
) => HandlerResult;

/** A handler for an action on one endpoint. Errors are checked in the order 400, 404, 422. */
export const handleEndpointAction =
  <Shape extends z.ZodRawShape>(rt: Runtime, schema: z.ZodObject<Shape>, act: Action<Shape>) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const body = await readOptionalJsonObject(context);
    const endpoint = getOwnEndpoint(rt, key, pathId(context));
    return act(context, endpoint, parseRequest(schema, body), getTimezone(rt, key));
  };

export const handleEnableEndpoint = (rt: Runtime) =>
  handleEndpointAction(rt, enableEndpointBody, async (context, { id }, { recover }, timezone) => {
    const missedEvents = typeof recover === "string" ? recover : recover.resolve(timezone);
    const { endpoint, ...counts } = await retryWhileBusy(rt, () =>
      enableEndpoint(rt, id, missedEvents, { byPartner: true }),
    );
    return respondData(context, { ...toPublicEndpoint(endpoint, timezone), ...counts });
  });

export const handleRotateEndpointSecret = (rt: Runtime) =>
  handleEndpointAction(
    rt,
    rotateSecretBody,
    async (context, { id }, { overlapSeconds, force }, timezone) => {
      const { endpoint, secret, oldEndsAt } = await retryWhileBusy(rt, () =>
        rotateEndpointSecret(rt, id, { overlapMs: overlapSeconds * 1000, force }),
      );
      const oldSecretEndsAt = formatInstant(oldEndsAt, timezone);
      const data = { ...toPublicEndpoint(endpoint, timezone), secret, oldSecretEndsAt };
      return respondData(context, data, 200, NO_STORE);
    },
  );

export const handleFinishSecretRotation = (rt: Runtime) =>
  handleEndpointAction(rt, emptyBody, async (context, endpoint, _body, timezone) => {
    const finished = await retryWhileBusy(rt, () => finishSecretRotation(rt, endpoint.id));
    return respondData(context, { ...toPublicEndpoint(endpoint, timezone), finished });
  });
