import { createLiveStore } from "../store.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Runtime } from "../../../app/runtime.ts";
import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import { AppError } from "../../../domain/errors.ts";
import { countOf } from "../../../domain/text.ts";
import { type EffectContext, errorMessage } from "./effect-context.ts";
import { listFilter } from "../state/ui-state.ts";

/** The maximum that the key R redelivers; the command line redelivers more, at a limited rate. */
const MAX_REDELIVERIES = 10_000;
/** The number of deliveries that are redelivered in one transaction. */
const BATCH_SIZE = 200;

/**
 * Asks whether to redeliver many deliveries.
 * @param endpointId the endpoint whose failed deliveries are redelivered; undefined to redeliver
 * all deliveries in the list
 */
export function promptRedeliver(
  rt: Runtime,
  { ui, update, notify }: EffectContext,
  endpointId?: string,
): void {
  const filter =
    endpointId === undefined ? listFilter(ui(), rt.now()) : { endpointId, failed: true as const };
  const ids = rt.openStore(createLiveStore).listRedeliverable(filter, MAX_REDELIVERIES + 1);
  if (ids.length === 0)
    return notify(
      endpointId === undefined
        ? "None of these deliveries can be redelivered."
        : "No delivery to this endpoint has failed.",
      "bad",
    );
  if (ids.length > MAX_REDELIVERIES)
    return notify(
      "More than 10 000 deliveries: use deskbell deliveries redeliver --rate instead.",
      "bad",
    );
  return update((latest) => ({ ...latest, prompt: { kind: "redeliver", ids, typed: "" } }));
}

/** Redelivers in batches, so that the view stays responsive and other programs can write. */
export async function redeliverAll(
  rt: Runtime,
  { signal, notify }: EffectContext,
  ids: readonly string[],
): Promise<void> {
  let lastError: string | undefined;
  /** Returns whether the delivery was queued. */
  const tryRedeliver = (id: string): boolean => {
    try {
      redeliverDelivery(rt, id);
      return true;
    } catch (error) {
      // A disabled or deleted endpoint must not stop the redeliveries to other endpoints.
      if (!(error instanceof AppError)) throw error;
      lastError = error.message;
      return false;
    }
  };
  let queued = 0;
  try {
    for (let from = 0; from < ids.length; from += BATCH_SIZE) {
      queued += rt.tx(() => ids.slice(from, from + BATCH_SIZE).filter(tryRedeliver).length);
      if (ids.length > BATCH_SIZE)
        notify(`${Math.min(from + BATCH_SIZE, ids.length)} of ${ids.length} …`, "plain");
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
