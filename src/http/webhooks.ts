import { createEndpoint } from "../app/endpoints.ts";
import { formatInstant } from "../domain/business-time.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import type { Credential } from "../store/keys.ts";
import { readJsonObject } from "./body.ts";
import { type Answer, answerJson, type Call, header } from "./call.ts";
import { readParameters } from "./parameters.ts";
import { writeWhenFree } from "./writes.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function createWebhook(rt: Runtime): (call: Call, key: Credential) => Promise<Answer> {
  return async (call, key) => {
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
    const location = `${rt.config.http.publicUrl}/v1/businesses/${key.businessSlug}/webhooks/${endpoint.id}`;
    const data = { ...representEndpoint(endpoint, timezoneOf(rt, key)), secret };
    return answerJson(call, 201, { data }, ["location", location, "cache-control", "no-store"]);
  };
}

function readIdempotencyKey(call: Call): string | undefined {
  const sent = header(call.asked, "idempotency-key");
  if (sent === undefined || IDEMPOTENCY_KEY.test(sent)) return sent;
  throw new AppError("invalid_parameter", "Idempotency-Key has 1 to 255 characters of ASCII, without a space.");
}
const representEndpoint = (endpoint: EndpointRow, timezone: string) => ({
  id: endpoint.id,
  name: endpoint.name,
  url: endpoint.url,
  events: endpoint.events,
  status: endpoint.status,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince === null ? null : formatInstant(endpoint.failingSince, timezone),
  createdAt: formatInstant(endpoint.createdAt, timezone),
  updatedAt: formatInstant(endpoint.updatedAt, timezone),
});

function timezoneOf(rt: Runtime, key: Credential): string {
  const business = rt.store.businesses.byId(key.businessId);
  if (!business) throw new AppError("conflict", "The business was removed meanwhile.");
  return business.doc.timezone;
}
