import { useEffect, useRef, useState } from "preact/hooks";
import { fillText } from "../../../pages/languages.ts";
import { now, openedAt } from "../../../pages/browser/clock.ts";
import type { DeskView } from "../rules.ts";
import type { DeskMessage, DeskProps } from "./desk.tsx";
import type { DeskTexts } from "./texts.ts";

// Phones lose their connection and sleep. A view that may be old is never shown as the current one.
// An action without a response is sent again with the same key, so that the server does it only
// once.

/** The time between two requests for the current view. */
const POLL_MS = 8000;
/** The time between two checks of the view's age. */
const AGE_CHECK_MS = 5000;
/** A view that is older than this is not shown as current. */
const STALE_MS = 20_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long the page sends an unanswered action again by itself. After that, a person decides. */
const RESEND_MS = 60_000;
/** The delay before an action is sent again doubles from the first value up to the second. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 8000;
/** The longest wait for the browser to paint: it does not paint pages in the background. */
const MAX_PAINT_MS = 500;

type Reply = { view: DeskView; message: DeskMessage | null };

/** An action whose response has not arrived. */
type Unanswered = {
  /** The fields of the form, URL-encoded. */
  fields: string;
  /** The fields with the key. */
  body: string;
  /** The text of the button, such as "Accept Ana, today, 14:30". */
  label: string;
  /** When the action was first sent, on the clock of the browser. */
  since: number;
  /** How often the action was sent without a response. */
  failedAttempts: number;
  onDone: () => void;
};

type State = Reply & {
  /** When the request for the view was sent, on the clock of the browser. */
  readAt: number;
  isConnected: boolean;
  unanswered: Unanswered | null;
  /** The label of the last tap that was not taken because an earlier action has no response. */
  missed: string | null;
  isBusy: boolean;
  /** Whether a person has to decide about sending an action again. */
  isAsking: boolean;
};

export type LiveState = State & {
  isStale: boolean;
  ageMs: number;
  /**
   * Sends the fields of a form with the key of the view that is shown. Returns the message of the
   * response; null if none arrives; `NOT_TAKEN` if the response to an earlier action is missing.
   * @param onDone called once the server has done the action
   */
  act: (
    body: URLSearchParams,
    label: string,
    onDone?: () => void,
  ) => Promise<DeskMessage | typeof NOT_TAKEN | null>;
  sendAgain: () => void;
  drop: () => void;
};

/** Says that an action was not sent, because an earlier one has no response yet. */
export const NOT_TAKEN = "not taken";

/** Keeps the view of the desk up to date, and sends actions. */
export function useDesk({ view, message, path, texts }: DeskProps): LiveState {
  const [, setRenders] = useState(0);
  const state = useRef<State>({
    view,
    message,
    readAt: openedAt(),
    isConnected: true,
    unanswered: null,
    missed: null,
    isBusy: false,
    isAsking: false,
  });
  const set = (changes: Partial<State>): void => {
    state.current = { ...state.current, ...changes };
    setRenders((count) => count + 1);
  };
  /**
   * Shows a response. The age of the view counts from the request, because a phone may sleep before
   * the response arrives.
   */
  const show = (reply: Partial<Reply>, readAt: number): void =>
    set({ ...reply, readAt, isConnected: true });
  const withMissed = (answer: DeskMessage | null) => addMissed(texts, answer, state.current.missed);

  const poll = async (): Promise<void> => {
    const startedAt = now();
    const { view: shownView, readAt } = state.current;
    const query = new URLSearchParams({ version: shownView.version });
    if (shownView.away) query.set("away", shownView.away.id);
    try {
      const response = await send(`${path}?${query}`);
      // The status 204 says that the shown view is current.
      const reply =
        response.status === 204 ? {} : { view: ((await response.json()) as Reply).view };
      // A response that was shown meanwhile is newer than this one.
      if (state.current.readAt === readAt) show(reply, startedAt);
    } catch {
      set({ isConnected: false });
    }
  };

  /** Asks whether to send an action again of which nobody knows whether the server has done it. */
  const ask = ({ label }: Unanswered): void => {
    const text = `${texts.sendAgainOrNot} ${label}`;
    set({ isAsking: true, message: { text, isGood: false, codes: [] } });
  };

  /**
   * Sends the unanswered action, unless it is being sent already. Returns the message of the
   * response; null if none arrives.
   */
  const deliver = async (): Promise<DeskMessage | null> => {
    const { unanswered } = state.current;
    if (unanswered === null || state.current.isBusy) return null;
    const startedAt = now();
    set({
      isBusy: true,
      isAsking: false,
      message: { text: texts.saving, isGood: true, codes: [] },
    });
    const painted = afterPaint();
    try {
      const response = await send(path, {
        method: "POST",
        body: new URLSearchParams(unanswered.body),
      });
      const reply = (await response.json()) as Reply;
      await painted;
      show({ ...reply, message: withMissed(reply.message) }, startedAt);
      set({ unanswered: null });
      if (reply.message?.isGood === true) unanswered.onDone();
      return reply.message;
    } catch (error) {
      if (error instanceof Refusal) {
        // The server may have done the action at an earlier attempt, whose response was lost.
        if (unanswered.failedAttempts > 0) {
          ask(unanswered);
          void poll();
          return null;
        }
        const text = fillText(texts.notDone, { reason: error.message });
        const refused = { text, isGood: false, codes: [] };
        set({ unanswered: null, message: withMissed(refused) });
        return refused;
      }
      const unknown = { text: `${texts.unknown} ${unanswered.label}`, isGood: false, codes: [] };
      set({
        isConnected: false,
        message: unknown,
        unanswered: { ...unanswered, failedAttempts: unanswered.failedAttempts + 1 },
      });
      setTimeout(retry, Math.min(FIRST_RETRY_MS * 2 ** unanswered.failedAttempts, MAX_RETRY_MS));
      return null;
    } finally {
      set({ isBusy: false });
    }
  };

  /** Sends an unanswered action again; after RESEND_MS, asks whether to do so. */
  const retry = (): void => {
    const { unanswered } = state.current;
    if (unanswered === null || document.visibilityState !== "visible") return;
    if (now() - unanswered.since < RESEND_MS) void deliver();
    else ask(unanswered);
  };

  useUpdates(poll, retry, () => set({}));

  const { current } = state;
  const ageMs = now() - current.readAt;
  return {
    ...current,
    ageMs,
    isStale: !current.isConnected || ageMs > STALE_MS || document.visibilityState !== "visible",
    async act(body, label, onDone = () => {}) {
      const { unanswered, view: shownView } = state.current;
      const fields = body.toString();
      if (unanswered !== null) {
        const changes = refuseTap(texts, state.current, unanswered, { fields, label });
        if (changes !== undefined) set(changes);
        return NOT_TAKEN;
      }
      body.set("key", shownView.key);
      const action = { fields, body: body.toString(), label, since: now(), failedAttempts: 0 };
      set({ unanswered: { ...action, onDone }, missed: null });
      return deliver();
    },
    sendAgain: () => void deliver(),
    drop: () => set({ unanswered: null, missed: null, isAsking: false, message: null }),
  };
}

/** Reads the view again every few seconds, and when the phone wakes or is connected again. */
function useUpdates(poll: () => Promise<void>, retry: () => void, render: () => void): void {
  useEffect(() => {
    const update = () => {
      // The page is also rendered when it is hidden: a waking phone shows its last picture at
      // first, which must say that the view may be old.
      render();
      if (document.visibilityState === "visible") void poll().then(retry);
    };
    const timers = [
      setInterval(() => document.visibilityState === "visible" && void poll(), POLL_MS),
      setInterval(() => render(), AGE_CHECK_MS),
    ];
    document.addEventListener("visibilitychange", update);
    const events = ["online", "offline", "pageshow"] as const;
    for (const event of events) addEventListener(event, update);
    return () => {
      timers.forEach(clearInterval);
      document.removeEventListener("visibilitychange", update);
      for (const event of events) removeEventListener(event, update);
    };
  }, []);
}

/** Returns the message of a response, and the label of a tap that was not taken meanwhile. */
const addMissed = (
  { notTaken }: DeskTexts,
  answer: DeskMessage | null,
  missed: string | null,
): DeskMessage | null =>
  answer === null || missed === null
    ? answer
    : { ...answer, text: `${answer.text} ${notTaken} ${missed}`, isGood: false };

/**
 * Returns the changes of the state after a tap that is not taken. Returns undefined if nothing
 * changes, so that the page is not drawn again each time the camera tries a code, several times a
 * second.
 */
function refuseTap(
  { wait }: DeskTexts,
  { message, missed }: State,
  { fields, failedAttempts }: Unanswered,
  tap: { fields: string; label: string },
): Partial<State> | undefined {
  // A second tap of the button whose action has no response is not reported as missed.
  const nextMissed = fields === tap.fields ? missed : tap.label;
  // The message about a missing response is kept, because it names the unanswered action.
  const isShown = failedAttempts > 0 || message?.text === wait;
  if (!isShown) return { missed: nextMissed, message: { text: wait, isGood: false, codes: [] } };
  return nextMissed === missed ? undefined : { missed: nextMissed };
}

/**
 * Waits until the browser has painted, so that the text about saving is seen before the response is
 * rendered.
 */
const afterPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, MAX_PAINT_MS);
  });

/** A response with an error below 500: the server has changed nothing at this attempt. */
class Refusal extends Error {}

/**
 * Sends a request, and loads the page again if the device is no longer paired.
 * @throws Refusal for an error below 500; another error if the action may have been done
 */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, {
    ...init,
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (response.status === 401) location.reload();
  if (response.ok) return response;
  // The server may have done the action and then failed, or a proxy may have lost its response.
  if (response.status >= 500) throw new Error(`status ${response.status}`);
  const problem = (await response.json()) as { detail?: string; title?: string };
  throw new Refusal(problem.detail ?? problem.title ?? `HTTP ${response.status}`);
}
