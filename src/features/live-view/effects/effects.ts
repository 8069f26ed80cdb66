import type { Runtime } from "../../../app/runtime.ts";
import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import { isEventType } from "../../../domain/events/event-types.ts";
import { parseDuration, parsePastTime } from "../../../domain/local-time.ts";
import type { SearchFilter } from "../../../store/webhooks/delivery-search.ts";
import { curlCommand } from "../views/curl.ts";
import { type EffectContext, type EffectDeps, errorMessage } from "./effect-context.ts";
import { disable, enable, rotateSecret, sendTest } from "./endpoint-effects.ts";
import { promptRedeliver, redeliverAll } from "./redelivery-effects.ts";
import { changeVisit, moveVisit } from "./visit-effects.ts";
import { backToList, currentScreen, pushScreen, setFilter } from "../state/screens.ts";
import { findDetail } from "../state/snapshot.ts";
import {
  type Effect,
  FOLLOW_NEWEST,
  listFilter,
  type ListPosition,
  type UiState,
} from "../state/ui-state.ts";

/**
 * The longest text for the clipboard. A text is sent as base64, and most terminals ignore a longer
 * one.
 */
const MAX_COPIED_CHARS = 50_000;

export function runEffect(
  deps: EffectDeps,
  effect: Effect,
  base: Omit<EffectContext, "notify">,
): void {
  const { rt } = deps;
  const { update } = base;
  const notify: EffectContext["notify"] = (text, tone) =>
    update((ui) => ({ ...ui, feedback: { text, tone } }));
  const context: EffectContext = { ...base, notify };
  const moveTo = (list: ListPosition) => update((ui) => ({ ...ui, list }));
  const notifyOnError = (work: () => void | Promise<void>) =>
    void Promise.try(work).catch((error: unknown) => notify(errorMessage(error), "bad"));

  switch (effect.type) {
    case "quit":
      return deps.quit(effect.signal);
    case "copy":
      deps.copy(effect.text);
      return notify(`copied ${effect.about}`, "good");
    case "copyCurl":
      return copyCurl(deps, context, effect.id);
    case "newest": {
      const id = newestId(rt, context.ui());
      if (id === null) return undefined;
      // The list stays at this delivery; FOLLOW_NEWEST would move it to each later one.
      return moveTo({ top: { id, isIncluded: true }, selected: id, offset: 0, newestSeen: id });
    }
    case "oldest":
      return moveTo(findOldest(rt, context));
    case "search": {
      const { text } = effect;
      const search = text === "" ? null : { text, filter: parseSearch(text) };
      return update((ui) => ({ ...ui, search, list: FOLLOW_NEWEST }));
    }
    case "since":
      return setSince(deps, context, effect.text);
    case "redeliver":
      return notifyOnError(() => {
        redeliverDelivery(rt, effect.id);
        notify(`${effect.id} queued for redelivery`, "good");
      });
    case "promptRedeliver":
      return promptRedeliver(rt, context, effect.endpointId);
    case "redeliverAll":
      return notifyOnError(() => redeliverAll(rt, context, effect.ids));
    case "test":
      return notifyOnError(() => sendTest(deps, context, effect.endpoint));
    case "enable":
      return notifyOnError(() => enable(deps, context, effect.endpoint, effect.recover));
    case "disable":
      return notifyOnError(() => disable(deps, context, effect.endpoint));
    case "rotateSecret":
      return notifyOnError(() => rotateSecret(deps, context, effect.endpoint));
    case "changeVisit":
      return notifyOnError(() => changeVisit(deps, context, effect.visit, effect.action));
    case "moveVisit":
      return notifyOnError(() => moveVisit(deps, context, effect.visit, effect.start));
    case "forgetSecret":
      return update((ui) => ({
        ...ui,
        screens: ui.screens.filter(({ kind }) => kind !== "secret"),
      }));
  }
}

function findOldest(rt: Runtime, { ui, height }: EffectContext): ListPosition {
  // The empty text is before every ID.
  const beginning = { id: "", isIncluded: false };
  const filter = listFilter(ui(), rt.now());
  const rows = rt.store.deliverySearch.listPage(filter, "newer", beginning, height).rows;
  // The rows begin with the oldest delivery. The screen shows them in reverse.
  const [oldest] = rows;
  const top = rows.at(-1);
  if (top === undefined || oldest === undefined) return FOLLOW_NEWEST;
  return {
    top: { id: top.id, isIncluded: true },
    selected: oldest.id,
    offset: null,
    newestSeen: newestId(rt, ui()),
  };
}

const newestId = (rt: Runtime, ui: UiState): string | null =>
  rt.store.deliverySearch.listPage(listFilter(ui, rt.now()), "older", null, 1).rows[0]?.id ?? null;

/** Copies the curl command, and shows it because some terminals cannot set the clipboard. */
function copyCurl({ rt, copy }: EffectDeps, { update, notify }: EffectContext, id: string): void {
  const detail = findDetail(rt, id);
  if (detail === null) return notify("The delivery has been deleted.", "bad");
  if (detail.event === null) return notify("The event has been deleted.", "bad");
  const command = curlCommand(detail).join("\n");
  update((ui) =>
    currentScreen(ui).kind === "curl" ? ui : pushScreen(ui, { kind: "curl", id, scroll: 0 }),
  );
  if (command.length > MAX_COPIED_CHARS)
    return notify("Too long for the clipboard of most terminals: select it here.", "bad");
  copy(command);
  notify("Copied, with placeholders for signatures. Clipboard empty? Select it here.", "good");
}

function setSince(
  { rt, settings }: EffectDeps,
  { update, notify }: EffectContext,
  text: string,
): void {
  const at = parsePastTime(text, settings.timeFormat.timeZone, rt.now());
  if (Number.isNaN(at) || at > rt.now())
    return notify(
      `Invalid time '${text}': use 15m, 2h or 3d before now, 08:30, or a date such as 2026-12-01.`,
      "bad",
    );
  // A duration is kept as text, so that the filter moves on with the clock.
  const time = Number.isNaN(parseDuration(text)) ? at : text;
  update((ui) => setFilter(backToList(ui), { ...ui.filter, time }));
}

/** The codes that the list shows for errors without a response, and their texts. */
const ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ["t/o", "timed out"],
  ["ref", "refused"],
  ["dns", "unresolvable"],
  ["blk", "blocked"],
]);

/** Parses a search as the beginning of an ID, as an event type, or as part of any shown text. */
export function parseSearch(text: string): SearchFilter {
  if (text.startsWith("dlv_")) return { deliveryPrefix: text };
  if (text.startsWith("evt_")) return { eventPrefix: text };
  if (isEventType(text)) return { searchedType: text };
  return { text: ERROR_TEXTS.get(text) ?? text };
}
