import type { Check } from "../../app/operations/conditions.ts";
import type { EffectDeps } from "./effects/effect-context.ts";
import { runEffect } from "./effects/effects.ts";
import {
  type Frame,
  renderFrame,
  type ViewSettings,
  isTooSmall,
  layoutFor,
  type Size,
} from "./views/frame.ts";
import { type Key, printableChars } from "./state/keys.ts";
import { MAX_TYPED_CHARS } from "./state/prompts.ts";
import { reduce } from "./state/reducer.ts";
import { ServerPoll } from "./server-poll.ts";
import { readSnapshot, type Snapshot } from "./state/snapshot.ts";
import { createUiState, type UiState } from "./state/ui-state.ts";

export type SessionDeps = EffectDeps & {
  settings: ViewSettings;
  checks: readonly Check[];
  isReadonly: boolean;
  businessId: string | undefined;
  isDaemonRunning: () => boolean;
  size: () => Size;
  draw: (lines: Frame["lines"]) => void;
};

export type Session = {
  press: (keys: readonly Key[]) => void;
  /**
   * Types the first line of a pasted text into the open text prompt. If no such prompt is open,
   * nothing is typed, because the characters would act as keys.
   */
  paste: (text: string) => void;
  /** Reads and draws the data again if something has changed. */
  tick: () => void;
  resize: () => void;
  end: () => void;
};

const MINUTE_MS = 60_000;

/** Returns how many days after today the shown day is; undefined if no day is shown. */
const shownOffset = ({ screens }: UiState): number | undefined => {
  const screen = screens.at(-1);
  return screen?.kind === "day" ? screen.offset : undefined;
};

export function startSession(deps: SessionDeps): Session {
  const { rt, settings, size, draw } = deps;
  let ui: UiState = createUiState(deps.isReadonly, deps.businessId);
  const server = new ServerPoll(rt, deps.checks, deps.isDaemonRunning);
  let shownVersion = "";
  let snapshot: Snapshot;
  let frame: Frame;
  const ended = new AbortController();

  /** Returns a text that changes with the data, the minute and the server's state. */
  const version = () => `${rt.revision()} ${Math.floor(rt.now() / MINUTE_MS)} ${server.version}`;

  const hasChanged = () => !ui.isPaused && version() !== shownVersion;

  function read(): void {
    // The version is read before the data, so that the next tick sees a change between the two.
    shownVersion = version();
    // The list is tallest if no health conditions are shown above it. The rows for this height are
    // read.
    snapshot = readSnapshot(rt, ui, layoutFor(size(), 0).listHeight, server.state);
  }

  function show(): void {
    frame = renderFrame(ui, snapshot, size(), settings);
    draw(frame.lines);
  }

  /** Sets the state, and reads the data again if the new state shows other data. */
  function changeState(next: UiState): void {
    const needsOtherData =
      next.list !== ui.list ||
      next.filter !== ui.filter ||
      next.search !== ui.search ||
      next.screens.length !== ui.screens.length ||
      shownOffset(next) !== shownOffset(ui) ||
      (ui.isPaused && !next.isPaused);
    ui = next;
    if (needsOtherData || hasChanged()) read();
  }

  function pressKey(key: Key): void {
    if (isTooSmall(size())) return pressWhenTooSmall(key);
    const { pageRows, scrollMax } = frame;
    const { ui: next, effect } = reduce(ui, key, { snapshot, pageRows, scrollMax });
    changeState(next);
    // The next key acts on this frame; `press` draws only the frame after the last key.
    frame = renderFrame(ui, snapshot, size(), settings);
    if (effect === undefined) return;
    runEffect(deps, effect, {
      ui: () => ui,
      height: frame.pageRows,
      signal: ended.signal,
      update: (updateUi) => {
        if (ended.signal.aborted) return;
        changeState(updateUi(ui));
        show();
      },
    });
  }

  /** Handles the keys that quit. Other keys do nothing, because nobody would see their effect. */
  function pressWhenTooSmall(key: Key): void {
    if (key === "q") deps.quit(null);
    if (key === "ctrl-c") deps.quit("SIGINT");
  }

  server.poll();
  read();
  show();
  return {
    press(keys) {
      for (const key of keys) {
        const before = ui.prompt;
        pressKey(key);
        // A terminal without bracketed paste sends pasted text as keys. If one of them opens a
        // question, the keys after it must not answer the question.
        if (ui.prompt?.kind === "confirm" && ui.prompt !== before) break;
      }
      show();
    },
    paste(text) {
      if (isTooSmall(size())) return;
      const [line = ""] = text.trim().split(/[\r\n]/);
      if (ui.prompt !== null && ui.prompt.kind !== "confirm")
        for (const key of printableChars(line).slice(0, MAX_TYPED_CHARS)) pressKey(key);
      else
        changeState({
          ...ui,
          feedback: {
            text: "Press / before pasting: pasted text is never run as keys.",
            tone: "bad",
          },
        });
      show();
    },
    tick() {
      server.poll();
      if (!hasChanged()) return;
      read();
      show();
    },
    resize() {
      read();
      show();
    },
    end() {
      // A terminal without an alternate screen would keep the last frame with the secret.
      if (ui.screens.some(({ kind }) => kind === "secret")) draw([]);
      ended.abort();
    },
  };
}
