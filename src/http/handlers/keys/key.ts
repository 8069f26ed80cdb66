import { z } from "zod";
import { MAX_ACTIONS_OF_VISITOR, readBookingUse } from "../../../app/bookings/booking-limits.ts";
import { MAX_HOLDS_OF_VISITOR, readHoldUse } from "../../../app/bookings/hold-limits.ts";
import { DEFAULT_OVERLAP_MS, getKey, MAX_OVERLAP_MS } from "../../../app/keys.ts";
import { afterRevoking, recordRevoked } from "../../../app/revoke-for-good.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { rotateOwnKey } from "../../../app/self-rotation.ts";
import { readEndpointUse } from "../../../app/webhooks/endpoint-owner.ts";
import { readRedeliveryUse } from "../../../app/webhooks/own-redeliveries.ts";
import { readsReferences } from "../../../domain/events/envelope.ts";
import { isLimitedToOwn } from "../../../domain/events/event-types.ts";
import { lazy } from "../../../domain/lazy.ts";
import { formatInstant, formatInstantOrNull } from "../../../domain/local-time.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import type { key as publicKey } from "../../../domain/public/schemas/key.ts";
import type { KeyRotation } from "../../../store/key-secrets.ts";
import type { Credential } from "../../../store/keys.ts";
import type { WindowUse } from "../../auth/rate-limits.ts";
import { readOptionalJsonObject } from "../../pipeline/body.ts";
import { getBusinessOfKey, NO_STORE, toPublicBusiness } from "../../pipeline/business-response.ts";
import { commitReply } from "../../pipeline/idempotency.ts";
import { toDataReply } from "../../pipeline/object-handlers.ts";
import { assertNoParameters } from "../../pipeline/parameters.ts";
import { type HttpResponse, type RequestContext, respond } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";

const SECOND_MS = 1000;
const MAX_OVERLAP_SECONDS = MAX_OVERLAP_MS / SECOND_MS;
const OVERLAP = { error: `a whole number of seconds from 0 to ${MAX_OVERLAP_SECONDS}` };

export const rotateKeyBody = lazy(() =>
  z.strictObject({
    overlapSeconds: z
      .int(OVERLAP)
      .min(0, OVERLAP)
      .max(MAX_OVERLAP_SECONDS, OVERLAP)
      .default(DEFAULT_OVERLAP_MS / SECOND_MS)
      .describe("How long the old secret stays valid, in seconds; 0 ends it at once"),
  }),
);

type Deps = Pick<HandlerDeps, "rt" | "accessControl">;

export const handleGetKey =
  ({ rt, accessControl }: Deps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    assertNoParameters(context.request.search);
    const data = toPublicKey(rt, key, accessControl.readLimits(context, key));
    const { status, headers, body } = toDataReply(data);
    return respond(context, status, headers, body);
  };

export const handleRotateKey =
  ({ rt, accessControl }: Deps) =>
  async (context: RequestContext): Promise<HttpResponse> => {
    assertNoParameters(context.request.search);
    const { overlapSeconds } = parseRequest(rotateKeyBody(), await readOptionalJsonObject(context));
    let endedSecrets: readonly string[] = [];
    const response = await commitReply(rt, context, () => {
      // Another request may have rotated the key since this one was authorized.
      const key = accessControl.authenticateAgain(context);
      const limits = accessControl.readLimits(context, key);
      const rotated = rotateOwnKey(rt, key, overlapSeconds * SECOND_MS);
      const { timezone } = getBusinessOfKey(rt, key).doc;
      const oldSecretEndsAt = formatInstant(rotated.oldSecretEndsAt, timezone);
      const { secret, repeatableUntil: endsAt } = rotated;
      ({ endedSecrets } = rotated);
      // The secret that this request sent is the old one from now on.
      const rotatedKey = { ...toPublicKey(rt, key, limits), usesOldSecret: true };
      const data = { ...rotatedKey, secret, oldSecretEndsAt };
      const beforeCommit = () => recordRevoked(rt, endedSecrets);
      return { ...toDataReply(data, 200, NO_STORE), endsAt, beforeCommit };
    });
    afterRevoking(rt, endedSecrets);
    return response;
  };

function toPublicKey(
  rt: Runtime,
  key: Credential,
  requests: readonly WindowUse[],
): z.output<typeof publicKey> {
  const business = getBusinessOfKey(rt, key);
  const { timezone } = business.doc;
  const { prefix, last4 } = getKey(rt, key.secretKeyId);
  const rotation = rt.store.keySecrets.findRotation(key.secretKeyId);
  const { id, kind, name, scopes, eventGroups, cidrs, selfRotation, guestMail } = key;
  return {
    id,
    kind,
    name,
    prefix: prefix ?? "",
    last4: last4 ?? "",
    business: toPublicBusiness(business),
    scopes,
    eventGroups,
    ownVisitsOnly: isLimitedToOwn(key),
    customerReferences: readsReferences(key),
    cidrs,
    limits: {
      requests: requests.map(({ window, limit, used, resetSeconds }) => ({
        window: window.name as "per-minute" | "per-hour",
        seconds: window.seconds,
        limit,
        used,
        resetSeconds,
      })),
      endpoints: readEndpointUse(rt, key),
      holds: readHoldUse(rt, key),
      bookingsDay: readBookingUse(rt, key),
      redeliveries: readRedeliveryUse(rt, key),
    },
    visitorLimits: {
      holds: MAX_HOLDS_OF_VISITOR,
      bookingsDay: MAX_ACTIONS_OF_VISITOR,
      ordersDay: MAX_ACTIONS_OF_VISITOR,
    },
    createdAt: formatInstant(key.createdAt, timezone),
    expiresAt: formatInstantOrNull(key.expiresAt, timezone),
    selfRotation,
    guestMail,
    rotation: rotation === undefined ? null : toPublicRotation(rotation, rt.now(), timezone),
    usesOldSecret: key.secretExpiresAt !== null,
    lastDeliveryAt: formatInstantOrNull(
      rt.store.deliveries.findLastDeliveredAt() ?? null,
      timezone,
    ),
  };
}

const toPublicRotation = (
  { at, isOwn, oldSecretEndsAt }: KeyRotation,
  now: number,
  timezone: string,
) => ({
  at: formatInstant(at, timezone),
  by: isOwn ? ("KEY" as const) : ("BUSINESS" as const),
  oldSecretEndsAt: oldSecretEndsAt > now ? formatInstant(oldSecretEndsAt, timezone) : null,
});
