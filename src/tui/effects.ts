import { setImmediate as breathe } from "node:timers/promises";
import { redeliverDelivery } from "../app/webhooks/deliveries.ts";
import { testEndpoint } from "../app/webhooks/test-endpoint.ts";
import { AppError } from "../domain/errors.ts";
import { parseSearch } from "./search.ts";
import type { SessionDeps } from "./session.ts";
import {
  type Effect,
  listFilter,
  FOLLOW_NEWEST,
  goAgain,
  type ListPosition,
  type Notice,
  type UiState,
} from "./ui-state.ts";

/** The session as effects see it: they come back to it when they are done. */
export type EffectContext = {
  ui: () => UiState;
  /** Rows of the list. */
  height: number;
  /** The session has ended. */
  signal: AbortSignal;
  update: (alter: (ui: UiState) => UiState) => void;
};

/** What is sent again from here in one go; more is for the command line, which can spread it. */
const MOST_AT_ONCE = 10_000;
const BATCH = 200;

/** Does what a key asked for. What can fail says so on the screen. */
export function runEffect(world: SessionDeps, effect: Effect, context: EffectContext): void {
  const { rt } = world;
  const say = (text: string, tone: Notice["tone"]) =>
    context.update((ui) => ({ ...ui, notice: { text, tone } }));
  const go = (list: ListPosition) => context.update((ui) => ({ ...ui, list }));
  const attempt = (deed: Promise<void>) =>
    void deed.catch((error: unknown) => say(explain(error), "bad"));

  switch (effect.do) {
    case "quit":
      return world.quit(effect.signal);
    case "copy":
      world.copy(effect.id);
      return say(`copied ${effect.id}`, "good");
    case "newest": {
      const [row] = rt.store.live.page(listFilter(context.ui()), "older", null, 1).rows;
      if (row === undefined) return undefined;
      return go({
        top: { id: row.id, isIncluded: true },
        selected: row.id,
        offset: 0,
        newestSeen: row.id,
      });
    }
    case "oldest":
      return go(oldest(world, context));
    case "search":
      return search(world, context, effect.text);
    case "redeliver":
      return attempt(
        (async () => {
          redeliverDelivery(rt, effect.id);
          say(`${effect.id} goes again`, "good");
        })(),
      );
    case "countReplayable":
      return askCount(world, context, say);
    case "redeliverAll":
      return attempt(redeliverAll(world, context, effect.ids, say));
    case "test":
      return attempt(test(world, context, effect.endpointId, say));
  }
}

type Say = (text: string, tone: Notice["tone"]) => void;

/** A person reads one line: what happened, and what mends it. */
function explain(error: unknown): string {
  if (error instanceof AppError)
    return error.fix === undefined ? error.message : `${error.message} fix: ${error.fix}`;
  const { code } = error as { code?: string };
  if (code?.startsWith("SQLITE_BUSY")) return "Another program is writing. Try again in a moment.";
  if (code === "SQLITE_FULL") return "The disk is full. Free some space and try again.";
  throw error;
}

function oldest({ rt }: SessionDeps, { ui, height }: EffectContext): ListPosition {
  const beginning = { id: "", isIncluded: false };
  const rows = rt.store.live.page(listFilter(ui()), "newer", beginning, height).rows;
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

const newestId = (rt: SessionDeps["rt"], ui: UiState): string | null =>
  rt.store.live.page(listFilter(ui), "older", null, 1).rows[0]?.id ?? null;

function search({ rt }: SessionDeps, { update }: EffectContext, text: string): void {
  if (text === "") return update((ui) => ({ ...ui, search: null, list: FOLLOW_NEWEST }));
  const filter = parseSearch(text, rt.store.live.searchEndpoints);
  if (filter === undefined)
    return update((ui) => ({
      ...ui,
      notice: { text: `No event type or endpoint is called '${text}'.`, tone: "bad" },
    }));
  return update((ui) => ({ ...ui, search: { text, filter }, list: FOLLOW_NEWEST }));
}

function askCount({ rt }: SessionDeps, { ui, update }: EffectContext, say: Say): void {
  const ids = rt.store.live.listReplayable(listFilter(ui()), MOST_AT_ONCE + 1);
  if (ids.length === 0) return say("None of these can be sent again.", "bad");
  if (ids.length > MOST_AT_ONCE)
    return say(
      "More than 10 000: deskbell deliveries redeliver sends them, spread with --rate.",
      "bad",
    );
  return update((ui) => ({ ...ui, prompt: { kind: "redeliver", ids, typed: "" } }));
}

async function redeliverAll(
  { rt }: SessionDeps,
  { signal }: EffectContext,
  ids: readonly string[],
  say: Say,
): Promise<void> {
  const refused = new Set<string>();
  const goes = (id: string): boolean => {
    try {
      redeliverDelivery(rt, id);
      return true;
    } catch (error) {
      // Its endpoint was disabled or deleted: the others go all the same.
      if (!(error instanceof AppError)) throw error;
      refused.add(error.message);
      return false;
    }
  };
  let sent = 0;
  try {
    for (let from = 0; from < ids.length; from += BATCH) {
      sent += rt.tx(() => ids.slice(from, from + BATCH).filter(goes).length);
      if (ids.length > BATCH)
        say(`${Math.min(from + BATCH, ids.length)} of ${ids.length} …`, "plain");
      await breathe();
      if (signal.aborted) return;
    }
  } catch (error) {
    refused.add(explain(error));
  }
  const why = [...refused].at(-1);
  if (why === undefined) say(goAgain(sent, sent), "good");
  else say(`${goAgain(sent, sent)}, ${ids.length - sent} do not: ${why}`, "bad");
}

async function test(
  { rt, sendOnce }: SessionDeps,
  { signal }: EffectContext,
  endpointId: string,
  say: Say,
): Promise<void> {
  say(`testing ${endpointId} …`, "plain");
  const { ok, statusCode, error, durationMs, address } = await testEndpoint(
    rt,
    endpointId,
    sendOnce,
    signal,
  );
  if (ok) say(`✓ test answered ${statusCode} in ${durationMs} ms, from ${address ?? "?"}`, "good");
  else say(`✗ test failed after ${durationMs} ms: ${error}`, "bad");
}
