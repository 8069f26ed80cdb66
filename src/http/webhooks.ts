import { z } from "zod";
import { createEndpoint } from "../app/endpoints.ts";
import { formatInstant } from "../domain/business-time.ts";
import { AppError } from "../domain/errors.ts";
import { EVENT_TYPES } from "../domain/event-types.ts";
import { didYouMean } from "../domain/nearest.ts";
import { safe } from "../domain/safe-text.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import type { Credential } from "../store/keys.ts";
import { readJsonBody } from "./body.ts";
import { type Call, respondJson } from "./call.ts";
import { readParameters } from "./parameters.ts";
import { writeWhenFree } from "./writes.ts";

export const webhookBody = z.strictObject({
  name: z
    .string({ error: "must be a text." })
    .trim()
    .min(1, { error: "must not be empty." })
    .max(100, { error: "may have 100 characters at most." }),
  url: z.string({ error: "must be a text." }),
  events: z
    .array(
      z.enum(EVENT_TYPES, {
        error: ({ input }) =>
          typeof input === "string"
            ? `is no event name: '${safe(input, 60)}'.${didYouMean(input.slice(0, 60), EVENT_TYPES)}`
            : "must be the name of an event.",
      }),
      { error: "must be a list of event names." },
    )
    .min(1, { error: "must name an event at least." })
    // No more than there are names, but for repeats.
    .max(1000, { error: "names too many events." }),
});

export function createWebhook(rt: Runtime): (call: Call, key: Credential) => Promise<Response> {
  return async (call, key) => {
    readParameters({}, call.event.url.search);
    const { name, url, events } = await readJsonBody(call.event, webhookBody);
    const { endpoint, secret } = await writeWhenFree(rt, () =>
      createEndpoint(rt, {
        businessId: key.businessId,
        keyId: key.id,
        name,
        url,
        events: [...new Set(events)],
        allowPrivate: false,
      }),
    );
    const location = `/v1/businesses/${key.businessSlug}/webhooks/${endpoint.id}`;
    const data = { ...representEndpoint(endpoint, timezoneOf(rt, key)), secret };
    return respondJson(call, 201, { data }, [
      ["location", location],
      ["cache-control", "no-store"],
    ]);
  };
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
