import { onTestFinished, vi } from "vitest";
import type { SendOnce } from "../../../src/app/webhooks/test-endpoint.ts";
import { prepareForInk } from "../../../src/config.ts";
import type { StyledLine } from "../../../src/features/live-view/views/cells.ts";
import { type Session, startSession } from "../../../src/features/live-view/session.ts";
import { createTimeFormat } from "../../../src/features/live-view/state/time-format.ts";
import { CHECKS } from "../../support/checks.ts";
import { createScreen, createTty } from "../../support/screen.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";
import { WAITS } from "../../support/waits.ts";

const settings = { version: "0.1.0", timeFormat: createTimeFormat("UTC"), isAscii: false };

export const linesToText = (lines: readonly StyledLine[]): string =>
  lines
    .map((line) =>
      line
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n");

type Options = {
  columns?: number;
  rows?: number;
  isReadonly?: boolean;
  sendOnce?: SendOnce;
  isAscii?: boolean;
  businessId?: string;
};

const noSend: SendOnce = async () => ({
  outcome: { kind: "refused", error: "no network here" },
  address: null,
});

/** Opens the live view without a terminal: takes keys, and returns the text of the frame. */
export function openSession(
  rt: TestRuntime,
  {
    columns = 80,
    rows = 24,
    isReadonly = false,
    sendOnce = noSend,
    isAscii = false,
    businessId,
  }: Options = {},
) {
  const size = { columns, rows };
  const copied: string[] = [];
  const quits: (string | null)[] = [];
  let lines: readonly StyledLine[] = [];
  let draws = 0;
  const session: Session = startSession({
    checks: CHECKS,
    rt,
    settings: { ...settings, isAscii },
    isReadonly,
    businessId,
    sendOnce,
    isDaemonRunning: () => true,
    size: () => size,
    draw(next) {
      lines = next;
      draws += 1;
    },
    copy: (text) => void copied.push(text),
    quit: (signal) => void quits.push(signal),
  });
  return {
    copied,
    quits,
    lines: () => lines,
    draws: () => draws,
    text: () => linesToText(lines),
    /** Returns the last line: key hints, a prompt or a feedback. */
    footer: () => linesToText(lines).split("\n").at(-1) ?? "",
    press: (...keys: string[]) => session.press(keys),
    type: (text: string) => session.press(Array.from(text)),
    paste: session.paste,
    tick: session.tick,
    end: session.end,
    resize(columns: number, rows: number) {
      Object.assign(size, { columns, rows });
      session.resize();
    },
  };
}

/** Opens the live view with ink on a headless terminal. */
export async function openViewOnTerminal(rt: TestRuntime, columns: number, rows: number) {
  prepareForInk(false);
  const { runLiveView } = await import("../../../src/features/live-view/run.tsx");
  const screen = createScreen(columns, rows);
  const tty = createTty(screen);
  const before = screen.modes();
  const view = runLiveView(
    {
      rt,
      settings,
      checks: CHECKS,
      isReadonly: false,
      businessId: undefined,
      sendOnce: noSend,
      isDaemonRunning: () => true,
    },
    tty,
  );
  onTestFinished(view.close);
  const shows = (pattern: RegExp) => vi.waitUntil(() => pattern.test(screen.text()), WAITS);
  await shows(/deliveries/);
  return { ...screen, ...tty, view, before, shows };
}
