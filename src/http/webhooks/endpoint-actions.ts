import { z } from "zod";
import { enableEndpoint } from "../../app/webhooks/endpoint-life.ts";
import { finishRotation, rotateSecret } from "../../app/webhooks/endpoint-secrets.ts";
import { requireOwnEndpoint } from "../../app/webhooks/own-webhooks.ts";
import { formatInstant } from "../../domain/business-time.ts";
import { readRequest } from "../../domain/day/request.ts";
import type { Runtime } from "../../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { Credential } from "../../store/keys.ts";
import type { Handled } from "../answering.ts";
import { readOptionalObject } from "../body.ts";
import { type Answer, answerJson, type Call } from "../call.ts";
import { idOf } from "./endpoint.ts";
import { NO_STORE, PRIVATE, timezoneOf } from "../key-answers.ts";
import { instant, readParameters } from "../parameters.ts";
import { representEndpoint } from "./represent-webhooks.ts";
import { writeWhenFree } from "../writes.ts";

const DAY_SECONDS = 86_400;
const OVERLAP = { error: `a whole number of seconds from 0 to ${7 * DAY_SECONDS}` };

// Bodies of actions may be left out. The message of a schema is a noun.

export const noFields = z.strictObject({});

export const enabling = z.strictObject({
  recover: z
    .union([z.enum(["all", "none"]), instant], {
      error: "all, none, or a date and time such as 2026-12-31T18:00:00+01:00",
    })
    .default("all")
    .describe(
      "What it missed: everything (without this too), nothing, or what came since a date and time that has passed; the rest is cancelled",
    ),
});

export const rotation = z.strictObject({
  overlapSeconds: z
    .int(OVERLAP)
    .min(0, OVERLAP)
    .max(7 * DAY_SECONDS, OVERLAP)
    .default(DAY_SECONDS)
    .describe("For so long everything is signed with both"),
  force: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Also while an earlier rotation goes on"),
});

type Action<Shape extends z.ZodRawShape> = (
  call: Call,
  endpoint: EndpointRow,
  asked: z.output<z.ZodObject<Shape>>,
  timezone: string,
) => Handled;

/** Something that is done to one endpoint. Mistakes are told in the order 400, 404, 422. */
export const actOnEndpoint =
  <Shape extends z.ZodRawShape>(rt: Runtime, body: z.ZodObject<Shape>, act: Action<Shape>) =>
  async (call: Call, key: Credential): Promise<Answer> => {
    readParameters({}, call.asked.search);
    const sent = await readOptionalObject(call);
    const endpoint = requireOwnEndpoint(rt, key, idOf(call));
    return act(call, endpoint, readRequest(body, sent), timezoneOf(rt, key));
  };

export const enableWebhook = (rt: Runtime) =>
  actOnEndpoint(rt, enabling, async (call, { id }, { recover }, timezone) => {
    const which = typeof recover === "string" ? recover : recover.resolve(timezone);
    const { endpoint, ...counts } = await writeWhenFree(rt, () =>
      enableEndpoint(rt, id, which, { byPartner: true }),
    );
    return answerJson(
      call,
      200,
      { data: { ...representEndpoint(endpoint, timezone), ...counts } },
      PRIVATE,
    );
  });

export const rotateWebhookSecret = (rt: Runtime) =>
  actOnEndpoint(rt, rotation, async (call, { id }, { overlapSeconds, force }, timezone) => {
    const { endpoint, secret, oldEndsAt } = await writeWhenFree(rt, () =>
      rotateSecret(rt, id, { overlapMs: overlapSeconds * 1000, force }),
    );
    const oldSecretEndsAt = formatInstant(oldEndsAt, timezone);
    return answerJson(
      call,
      200,
      { data: { ...representEndpoint(endpoint, timezone), secret, oldSecretEndsAt } },
      NO_STORE,
    );
  });

export const finishWebhookRotation = (rt: Runtime) =>
  actOnEndpoint(rt, noFields, async (call, endpoint, _asked, timezone) => {
    const finished = await writeWhenFree(rt, () => finishRotation(rt, endpoint.id));
    return answerJson(
      call,
      200,
      { data: { ...representEndpoint(endpoint, timezone), finished } },
      PRIVATE,
    );
  });
