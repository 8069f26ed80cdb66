import type { z } from "zod";
import type { Runtime } from "../../../app/runtime.ts";
import { findOldSecretEnd } from "../../../app/webhooks/endpoint-secrets.ts";
import { isHostLimited } from "../../../app/webhooks/host-limits.ts";
import {
  formatInstant,
  formatInstantOrNull,
  formatLocalMinute,
} from "../../../domain/local-time.ts";
import type { endpoint as publicEndpoint } from "../../../domain/public/schemas/webhook.ts";
import { safe } from "../../../domain/text.ts";
import { describeEndpoint, statusInError } from "../../../domain/webhooks/endpoint-state.ts";
import { currentBackoff } from "../../../domain/webhooks/failing-endpoint.ts";
import { errorForPartners } from "../../../domain/webhooks/settle.ts";
import type { EndpointRow } from "../../../store/webhooks/endpoints.ts";

/** Maximum length of a response text shown to partners. */
const MAX_TEXT_CHARACTERS = 256;

export function toPublicEndpoint(
  rt: Runtime,
  endpoint: EndpointRow,
  timezone: string,
): z.output<typeof publicEndpoint> {
  const { id, name, url, events, status, disabledReason, lastError, version } = endpoint;
  const now = rt.now();
  const { heldUntil, heldReason } = currentBackoff(endpoint, now);
  const state = describeEndpoint(endpoint, {
    now,
    format: timeInWords(timezone),
    isHostLimited: isHostLimited(rt, endpoint),
  });
  return {
    id,
    name,
    url,
    events,
    status,
    disabledReason,
    state: {
      ...state,
      since: formatInstantOrNull(state.since, timezone),
      until: formatInstantOrNull(state.until, timezone),
    },
    failingSince: formatInstantOrNull(endpoint.failingSince, timezone),
    heldUntil: formatInstantOrNull(heldUntil, timezone),
    heldReason,
    lastDeliveredAt: formatInstantOrNull(endpoint.lastDeliveredAt, timezone),
    lastStatusCode: statusInError(lastError),
    lastError: errorForPartners(lastError),
    oldSecretEndsAt: formatInstantOrNull(findOldSecretEnd(rt, id), timezone),
    version,
    createdAt: formatInstant(endpoint.createdAt, timezone),
    updatedAt: formatInstant(endpoint.updatedAt, timezone),
  };
}

export const toPublicText = (text: string | null): string | null =>
  text && safe(text, MAX_TEXT_CHARACTERS);

/** Returns a function that writes a time in a sentence: `2026-11-20 14:02`. */
export const timeInWords =
  (timezone: string) =>
  (at: number): string =>
    formatLocalMinute(at, timezone).replace("T", " ");
