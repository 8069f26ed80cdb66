import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Runtime } from "../app/runtime.ts";
import { redeliverDelivery } from "../app/webhooks/deliveries.ts";
import { type SendOnce, testEndpoint } from "../app/webhooks/test-endpoint.ts";
import { countOf } from "../domain/text.ts";
import { isStorageFull, storageError } from "../store/storage-error.ts";
import { isBusy } from "../store/write-lock.ts";
import { AppError } from "../domain/errors.ts";
import {
  type Effect,
  FOLLOW_NEWEST,
  listFilter,
  type ListPosition,
  type Notice,
  type UiState,
} from "./ui-state.ts";
import { ALL_EVENT_TYPES } from "../domain/event-types.ts";
import type { LiveFilter } from "../store/live-filter.ts";

export type EffectDeps = {
  rt: Runtime;
  sendOnce: SendOnce;
  copy: (text: string) => void;
  quit: (signal: "SIGINT" | null) => void;
};

export type EffectContext = {
  ui: () => UiState;
  height: number;
  signal: AbortSignal;
  update: (change: (ui: UiState) => UiState) => void;
};

/** The most that R redelivers; the command line can redeliver more, at a limited rate. */
const MAX_REDELIVERIES = 10_000;
const BATCH = 200;

type Notify = (text: string, tone: Notice["tone"]) => void;

export function runEffect(deps: EffectDeps, effect: Effect, context: EffectContext): void {
  const { rt } = deps;
  const { update } = context;
  const notify: Notify = (text, tone) => update((ui) => ({ ...ui, notice: { text, tone } }));
  const moveTo = (list: ListPosition) => update((ui) => ({ ...ui, list }));
  const catchErrors = (work: Promise<void>) =>
    void work.catch((error: unknown) => notify(errorMessage(error), "bad"));

  switch (effect.type) {
    case "quit":
      return deps.quit(effect.signal);
    case "copy":
      deps.copy(effect.id);
      return notify(`copied ${effect.id}`, "good");
    case "newest": {
      const id = newestId(rt, context.ui());
      if (id === null) return undefined;
      return moveTo({ top: { id, isIncluded: true }, selected: id, offset: 0, newestSeen: id });
    }
    case "oldest":
      return moveTo(findOldest(rt, context));
    case "search":
      return search(rt, context, effect.text, notify);
    case "redeliver":
      return catchErrors(
        Promise.try(() => {
          redeliverDelivery(rt, effect.id);
          notify(`${effect.id} queued for redelivery`, "good");
        }),
      );
    case "promptRedeliver":
      return promptRedeliver(rt, context, notify);
    case "redeliverAll":
      return catchErrors(redeliverAll(rt, context, effect.ids, notify));
    case "test":
      return catchErrors(sendTest(deps, context, effect.endpointId, notify));
  }
}

/** Rethrows an unexpected error, which then ends the view. */
function errorMessage(error: unknown): string {
  if (error instanceof AppError)
    return error.fix === undefined ? error.message : `${error.message} fix: ${error.fix}`;
  // The footer is one line.
  if (isBusy(error)) return "Another program is writing. Try again in a moment.";
  if (isStorageFull(error)) return "The disk is full. Free some space and try again.";
  const known = storageError(error);
  if (known !== undefined) return errorMessage(known);
  throw error;
}

function findOldest(rt: Runtime, { ui, height }: EffectContext): ListPosition {
  const beginning = { id: "", isIncluded: false };
  const rows = rt.store.live.listPage(listFilter(ui()), "newer", beginning, height).rows;
  const [last] = rows;
  const top = rows.at(-1);
  if (top === undefined || last === undefined) return FOLLOW_NEWEST;
  return {
    top: { id: top.id, isIncluded: true },
    selected: last.id,
    offset: null,
    newestSeen: newestId(rt, ui()),
  };
}

const newestId = (rt: Runtime, ui: UiState): string | null =>
  rt.store.live.listPage(listFilter(ui), "older", null, 1).rows[0]?.id ?? null;

function search(rt: Runtime, { update }: EffectContext, text: string, notify: Notify): void {
  if (text === "") return update((ui) => ({ ...ui, search: null, list: FOLLOW_NEWEST }));
  const filter = parseSearch(text, rt.store.live.searchEndpoints);
  if (filter === undefined) return notify(`No event type or endpoint matches '${text}'.`, "bad");
  return update((ui) => ({ ...ui, search: { text, filter }, list: FOLLOW_NEWEST }));
}

function promptRedeliver(rt: Runtime, { ui, update }: EffectContext, notify: Notify): void {
  const ids = rt.store.live.listReplayable(listFilter(ui()), MAX_REDELIVERIES + 1);
  if (ids.length === 0) return notify("None of these deliveries can be redelivered.", "bad");
  if (ids.length > MAX_REDELIVERIES)
    return notify(
      "More than 10 000 deliveries: use deskbell deliveries redeliver --rate instead.",
      "bad",
    );
  return update((ui) => ({ ...ui, prompt: { kind: "redeliver", ids, typed: "" } }));
}

/** Redelivers in batches, so that the view stays responsive and other writers get their turn. */
async function redeliverAll(
  rt: Runtime,
  { signal }: EffectContext,
  ids: readonly string[],
  notify: Notify,
): Promise<void> {
  let lastError: string | undefined;
  const canRedeliver = (id: string): boolean => {
    try {
      redeliverDelivery(rt, id);
      return true;
    } catch (error) {
      // A disabled or deleted endpoint must not stop the deliveries to the others.
      if (!(error instanceof AppError)) throw error;
      lastError = error.message;
      return false;
    }
  };
  let queued = 0;
  try {
    for (let from = 0; from < ids.length; from += BATCH) {
      queued += rt.tx(() => ids.slice(from, from + BATCH).filter(canRedeliver).length);
      if (ids.length > BATCH)
        notify(`${Math.min(from + BATCH, ids.length)} of ${ids.length} …`, "plain");
      await yieldToEventLoop();
      if (signal.aborted) return;
    }
  } catch (error) {
    lastError = errorMessage(error);
  }
  if (lastError === undefined)
    notify(`${countOf(queued, "delivery")} queued for redelivery`, "good");
  else notify(`${queued} of ${ids.length} queued for redelivery. ${lastError}`, "bad");
}

async function sendTest(
  { rt, sendOnce }: EffectDeps,
  { signal }: EffectContext,
  endpointId: string,
  notify: Notify,
): Promise<void> {
  notify(`testing ${endpointId} …`, "plain");
  const { ok, statusCode, error, durationMs, address } = await testEndpoint(
    rt,
    endpointId,
    sendOnce,
    signal,
  );
  if (ok) notify(`✓ test event: ${statusCode} in ${durationMs} ms from ${address ?? "?"}`, "good");
  else notify(`✗ test event failed after ${durationMs} ms: ${error}`, "bad");
}

/**
 * Reads a search as the beginning of an ID, or part of an event type, or part of an endpoint's name
 * or URL. Returns undefined if nothing matches.
 */
export function parseSearch(
  text: string,
  searchEndpoints: (text: string) => string[],
): LiveFilter | undefined {
  if (text.startsWith("dlv_")) return { deliveryPrefix: text };
  if (text.startsWith("evt_")) return { eventPrefix: text };
  const eventTypes = ALL_EVENT_TYPES.filter((type) => type.includes(text.toLowerCase()));
  if (eventTypes.length > 0) return { eventTypes };
  const endpointIds = searchEndpoints(text);
  return endpointIds.length > 0 ? { endpointIds } : undefined;
}
