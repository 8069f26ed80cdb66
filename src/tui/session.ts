import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../app/runtime.ts";
import { runEffect } from "./effects.ts";
import { type Frame, renderFrame, type ViewSettings } from "./frame.ts";
import { type Key, printableChars } from "./keys.ts";
import { MAX_TYPED_CHARS } from "./prompt.ts";
import { reduce } from "./reducer.ts";
import { isTooSmall, layoutFor, type Size } from "./layout.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import { createUiState, type UiState } from "./ui-state.ts";

/** What the view needs of the world around it. */
export type SessionDeps = {
  rt: Runtime;
  setting: ViewSettings;
  isReadonly: boolean;
  businessId: string | undefined;
  sendOnce: SendOnce;
  /** Whether a daemon runs on the file now. */
  isDaemonRunning: () => boolean;
  size: () => Size;
  /** Takes the next frame. */
  draw: (lines: Frame["lines"]) => void;
  /** Puts a text on the clipboard of the person's terminal. */
  copy: (text: string) => void;
  quit: (signal: "SIGINT" | null) => void;
};

/** One sitting before the view: keys and ticks in, frames out. */
export type Session = {
  press: (keys: readonly Key[]) => void;
  /** Text from a clipboard. Only where something is being typed it is taken: as keys it could send anything. */
  paste: (text: string) => void;
  /** Looks whether something has changed; costs next to nothing when nothing has. */
  tick: () => void;
  resize: () => void;
  /** Nobody looks any more: what is under way is broken off, and draws nothing. */
  end: () => void;
};

const MINUTE_MS = 60_000;
/** Whether a daemon runs shows in no revision. */
const DAEMON_EVERY_MS = 2000;

export function startSession(world: SessionDeps): Session {
  const { rt, setting, size, draw } = world;
  let ui: UiState = createUiState(world.isReadonly, world.businessId);
  let isDaemonRunning = world.isDaemonRunning();
  let askedAt = rt.monotonic();
  let shownAt = "";
  let snapshot: Snapshot;
  let frame: Frame;
  const over = new AbortController();

  /** What the clock, the file and the lock say: a frame holds as long as they say the same. */
  const stamp = () => `${rt.revision()} ${Math.floor(rt.now() / MINUTE_MS)} ${isDaemonRunning}`;

  const hasChanged = () => !ui.isPaused && stamp() !== shownAt;

  function read(): void {
    shownAt = stamp();
    snapshot = readSnapshot(rt, ui, layoutFor(size()).listHeight, isDaemonRunning);
  }

  function show(): void {
    frame = renderFrame(ui, snapshot, size(), setting);
    draw(frame.lines);
  }

  function change(next: UiState): void {
    const isElsewhere =
      next.list !== ui.list || next.filter !== ui.filter || next.search !== ui.search;
    const isOther =
      isElsewhere || next.screens.length !== ui.screens.length || (ui.isPaused && !next.isPaused);
    ui = next;
    // What a key did to the file shows with it.
    if (isOther || hasChanged()) read();
  }

  function press(key: Key): void {
    if (isTooSmall(size())) return pressUnseen(key);
    const { page, scrollMax } = frame;
    const { ui: next, effect } = reduce(ui, key, { snapshot, page, scrollMax });
    change(next);
    frame = renderFrame(ui, snapshot, size(), setting);
    if (effect === undefined) return;
    runEffect(world, effect, {
      ui: () => ui,
      height: layoutFor(size()).listHeight,
      signal: over.signal,
      update: (alter) => {
        if (over.signal.aborted) return;
        change(alter(ui));
        show();
      },
    });
  }

  /** In a window that shows nothing a key does what that window says, and nothing else. */
  function pressUnseen(key: Key): void {
    if (key === "q") world.quit(null);
    if (key === "ctrl-c") world.quit("SIGINT");
  }

  read();
  show();
  return {
    press(keys) {
      for (const key of keys) press(key);
      show();
    },
    paste(text) {
      if (isTooSmall(size())) return;
      const [line = ""] = text.trim().split(/[\r\n]/);
      if (ui.prompt !== null)
        for (const key of printableChars(line).slice(0, MAX_TYPED_CHARS)) press(key);
      else
        change({ ...ui, notice: { text: "What is pasted is taken after / alone.", tone: "bad" } });
      show();
    },
    tick() {
      if (rt.monotonic() - askedAt >= DAEMON_EVERY_MS) {
        askedAt = rt.monotonic();
        isDaemonRunning = world.isDaemonRunning();
      }
      if (!hasChanged()) return;
      read();
      show();
    },
    resize() {
      read();
      show();
    },
    end: () => over.abort(),
  };
}
