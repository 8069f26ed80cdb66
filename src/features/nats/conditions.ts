import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { isoSeconds, quote, safe, shellQuote, summarizeNames } from "../../domain/text.ts";
import { slugOf } from "../../app/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { readHistory } from "../../app/operations/history.ts";
import type { Check } from "../../app/operations/conditions.ts";
import { isLate } from "./state.ts";
import { createCursorStore, createDestinationStore, type DestinationRow } from "./store.ts";

/**
 * The share of its maximum size above which the history counts as nearly full. Events that wait for
 * a destination may then soon be deleted from the history.
 */
const NEARLY_FULL = 0.9;
/** How long lost and skipped events are reported. */
const SHOWN_MS = 7 * 86_400_000;

/** Reports destinations to which events cannot be published, and events that destinations lack. */
export const checkDestinations = (rt: Runtime): HealthCondition[] =>
  rt
    .openStore(createDestinationStore)
    .list()
    .flatMap((destination) => [
      ...checkLate(rt, destination),
      ...checkRecreated(rt, destination),
      ...checkSkips(rt, destination),
    ]);

const subjectAndBusiness = (rt: Runtime, { id, name, url, businessId }: DestinationRow) => ({
  business: businessId === null ? null : slugOf(rt, businessId),
  subject: { id, name, url },
});

function checkLate(rt: Runtime, destination: DestinationRow): HealthCondition[] {
  const { name, behindSince, lastError } = destination;
  const { bytes, maxBytes, keepDays } = readHistory(rt);
  const isUrgent = bytes >= maxBytes * NEARLY_FULL;
  if (behindSince === null || !(isUrgent || isLate(destination, rt.now()))) return [];
  const reason = lastError ?? "it accepts fewer events than there are";
  return [
    openCondition(
      "destination.late",
      `the destination ${quote(name)} is missing the events since ${isoSeconds(behindSince)}: ${reason}. They leave the history after ${keepDays} days, or earlier if it is full`,
      `deskbell destinations test ${shellQuote(name)}`,
      { ...subjectAndBusiness(rt, destination), since: behindSince },
    ),
  ];
}

/**
 * Reports that a stream was recreated and has lost its earlier events. The report ends when the
 * events are redelivered, or after `SHOWN_MS`.
 */
function checkRecreated(rt: Runtime, destination: DestinationRow): HealthCondition[] {
  const { name, stream, recreatedAt, createdAt } = destination;
  if (recreatedAt === null || rt.now() - recreatedAt >= SHOWN_MS) return [];
  return [
    openCondition(
      "destination.recreated",
      `the stream ${safe(stream, 80)} of the destination ${quote(name)} has lost events that it stored before ${isoSeconds(recreatedAt)}: it was deleted and created again, or restored`,
      `deskbell destinations redeliver ${shellQuote(name)} --since ${isoSeconds(createdAt)}`,
      { ...subjectAndBusiness(rt, destination), since: recreatedAt },
    ),
  ];
}

function checkSkips(rt: Runtime, destination: DestinationRow): HealthCondition[] {
  const { id, name } = destination;
  const skips = rt.openStore(createCursorStore).listSkips(id, rt.now() - SHOWN_MS);
  const [first] = skips;
  if (first === undefined) return [];
  const names = skips.map(({ eventId, reason, businessId }) =>
    eventId === null
      ? `${reason} (${slugOf(rt, businessId)})`
      : `${eventId} of ${slugOf(rt, businessId)} (${reason})`,
  );
  return [
    openCondition(
      "destination.skipped",
      `the destination ${quote(name)} did not get ${summarizeNames(names)}`,
      `deskbell destinations show ${shellQuote(name)}`,
      { ...subjectAndBusiness(rt, destination), since: first.at },
    ),
  ];
}

export const checks: readonly Check[] = [checkDestinations];
