import type { z } from "zod";
import { formatInstant } from "../../../domain/local-time.ts";
import type { attempt, delivery, endpoint } from "../../../domain/public/schemas/webhook.ts";
import { safe } from "../../../domain/text.ts";
import { errorForPartners, outcomeForPartners } from "../../../domain/webhooks/outcome.ts";
import type { AttemptRow, DeliveryRow } from "../../../store/deliveries.ts";
import type { EndpointRow } from "../../../store/endpoints.ts";

/** Maximum length of a response text shown to partners. */
const MAX_TEXT_CHARACTERS = 256;

export const toPublicEndpoint = (
  row: EndpointRow,
  timezone: string,
): z.output<typeof endpoint> => ({
  id: row.id,
  name: row.name,
  url: row.url,
  events: row.events,
  status: row.status,
  disabledReason: row.disabledReason,
  failingSince: instantOrNull(row.failingSince, timezone),
  createdAt: formatInstant(row.createdAt, timezone),
  updatedAt: formatInstant(row.updatedAt, timezone),
});

export const toPublicDelivery = (
  row: DeliveryRow,
  timezone: string,
): z.output<typeof delivery> => ({
  id: row.id,
  endpointId: row.endpointId,
  eventId: row.eventId,
  eventType: row.eventType,
  sequence: row.sequence,
  status: row.status,
  attemptCount: row.attemptCount,
  nextAttemptAt: instantOrNull(row.nextAttemptAt, timezone),
  lastStatusCode: row.lastStatusCode,
  lastError: errorForPartners(row.lastError),
  createdAt: formatInstant(row.createdAt, timezone),
  deliveredAt: instantOrNull(row.deliveredAt, timezone),
});

export const toPublicAttempt = (row: AttemptRow, timezone: string): z.output<typeof attempt> => ({
  n: row.n,
  at: formatInstant(row.at, timezone),
  durationMs: row.durationMs,
  statusCode: row.statusCode,
  ...outcomeForPartners({ outcome: row.outcome, error: row.error }),
  responseText: toPublicText(row.responseText),
});

export const toPublicText = (text: string | null): string | null =>
  text && safe(text, MAX_TEXT_CHARACTERS);

const instantOrNull = (at: number | null, timezone: string): string | null =>
  at === null ? null : formatInstant(at, timezone);
