import { z } from "zod";
import { createEndpoint } from "../../app/webhooks/endpoints.ts";
import { listOwnEndpoints } from "../../app/webhooks/own-webhooks.ts";
import { AppError } from "../../domain/errors.ts";
import { EVENT_TYPES } from "../../domain/event-types.ts";
import type { Runtime } from "../../runtime.ts";
import type { Credential } from "../../store/keys.ts";
import { readJsonObject } from "../body.ts";
import { type Answer, answerJson, type Call, header } from "../call.ts";
import { paginate } from "../cursor.ts";
import { answerPage, businessOf, NO_STORE, timezoneOf, urlOf } from "../key-answers.ts";
import { cursor, pageSize, readParameters } from "../parameters.ts";
import { representEndpoint } from "./represent-webhooks.ts";
import { writeWhenFree } from "../writes.ts";

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const PATH = "webhooks";

export const WEBHOOKS_PARAMETERS = { limit: pageSize, cursor };

/** What may be sent of an endpoint. app/webhooks/endpoint-checks.ts judges it, for the terminal as well. */
export const newEndpoint = z.strictObject({
  name: z.string().min(1).max(100).describe("A label"),
  url: z
    .string()
    .describe(
      "Where to send them: https, on a public address. Kept as it is called: without a fragment",
    ),
  events: z.array(z.enum(EVENT_TYPES)).min(1).describe("Which to send"),
});

/** The oldest first. */
export const listWebhooks =
  (rt: Runtime) =>
  (call: Call, key: Credential): Answer => {
    const { limit, cursor } = readParameters(WEBHOOKS_PARAMETERS, call.asked.search);
    const business = businessOf(rt, key);
    // Ids rise with time: by them alone they are in order.
    const endpoints = listOwnEndpoints(rt, key).map((endpoint) => ({ ...endpoint, sortOrder: 0 }));
    const { objects, nextCursor } = paginate(PATH, endpoints, limit, cursor);
    const data = objects.map((endpoint) => representEndpoint(endpoint, business.doc.timezone));
    return answerPage(rt, call, business, PATH, { data, nextCursor });
  };

export const createWebhook =
  (rt: Runtime) =>
  async (call: Call, key: Credential): Promise<Answer> => {
    readParameters({}, call.asked.search);
    const idempotencyKey = readIdempotencyKey(call);
    const { name, url, events, ...others } = await readJsonObject(call);
    const { endpoint, secret } = await writeWhenFree(rt, () =>
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
    const location = urlOf(rt, key.businessSlug, `${PATH}/${endpoint.id}`);
    const data = { ...representEndpoint(endpoint, timezoneOf(rt, key)), secret };
    return answerJson(call, 201, { data }, ["location", location, ...NO_STORE]);
  };

function readIdempotencyKey(call: Call): string | undefined {
  const sent = header(call.asked, "idempotency-key");
  if (sent === undefined || IDEMPOTENCY_KEY.test(sent)) return sent;
  const detail = "Idempotency-Key has 1 to 255 characters of ASCII, without a space.";
  throw new AppError("invalid_parameter", detail, {
    items: [{ parameter: "Idempotency-Key", code: "invalid_value", detail }],
  });
}
