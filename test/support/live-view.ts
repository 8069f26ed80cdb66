import { onTestFinished, vi } from "vitest";
import type { SendOnce } from "../../src/app/webhooks/test-endpoint.ts";
import { prepareForInk } from "../../src/config.ts";
import type { StyledLine } from "../../src/tui/cells.ts";
import { type Session, startSession } from "../../src/tui/session.ts";
import { createTimeFormat } from "../../src/tui/time-format.ts";
import { createScreen, createTty } from "./screen.ts";
import type { TestRuntime } from "./test-runtime.ts";

const setting = { version: "0.1.0", clock: createTimeFormat("UTC"), isAscii: false };

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

/** A sitting without a terminal: keys in, the text of the frame out. */
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
    rt,
    setting: { ...setting, isAscii },
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
    /** The last line: hints, a question, or what the last key came to. */
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

/** The view on a terminal without a window, through ink. */
export async function openViewOnTerminal(rt: TestRuntime, columns: number, rows: number) {
  prepareForInk(false);
  const { runLiveView } = await import("../../src/tui/run.tsx");
  const seen = createScreen(columns, rows);
  const tty = createTty(seen);
  const before = seen.modes();
  const view = runLiveView(
    {
      rt,
      setting,
      isReadonly: false,
      businessId: undefined,
      sendOnce: noSend,
      isDaemonRunning: () => true,
    },
    tty,
  );
  onTestFinished(view.close);
  const shows = (pattern: RegExp) =>
    vi.waitUntil(() => pattern.test(seen.text()), { timeout: 5000, interval: 5 });
  await shows(/deliveries/);
  return { ...seen, ...tty, view, before, shows };
}
