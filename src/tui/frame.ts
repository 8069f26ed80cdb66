import { box, beside, hints, spread } from "./box.ts";
import { cellsOf, fitLine, type Line, merge, plain, span } from "./cells.ts";
import { charts, CHARTS_WIDTH } from "./charts.ts";
import { detailLines } from "./detail.ts";
import { endpoints } from "./endpoints.ts";
import { GLYPHS, toAscii } from "./glyphs.ts";
import { header } from "./header.ts";
import { list } from "./list.ts";
import { filterPanel, helpLines } from "./panels.ts";
import { isTooSmall, type Layout, layoutFor, type Size, SMALLEST } from "./size.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Clock } from "./times.ts";
import { type Screen, screenOf, TABS, type Ui } from "./ui.ts";

/** What does not change while the view runs. */
export type Setting = { version: string; clock: Clock; isAscii: boolean };

export type Frame = {
  lines: Line[];
  /** How far what is on the screen can be scrolled. */
  scrollMax: number;
};

/** What the person sees: exactly as many lines as the terminal has, each exactly as wide. */
export function frameOf(ui: Ui, snapshot: Snapshot, size: Size, setting: Setting): Frame {
  if (isTooSmall(size)) {
    const text = `It needs ${SMALLEST.columns}x${SMALLEST.rows}, this is ${size.columns}x${size.rows}. q quits.`;
    return { lines: [fitLine([span(text)], size.columns)], scrollMax: 0 };
  }
  const { version, clock, isAscii } = setting;
  const { body, scrollMax } = bodyOf(ui, snapshot, layoutFor(size), clock);
  const lines = [header(ui, snapshot, version, clock, size.columns), ...body, footer(ui, size.columns)];
  const finish = (line: Line) => merge(fitLine(line, size.columns));
  return { lines: lines.map((line) => finish(isAscii ? asciiLine(line) : line)), scrollMax };
}

type Body = { body: Line[]; scrollMax: number };

function bodyOf(ui: Ui, snapshot: Snapshot, layout: Layout, clock: Clock): Body {
  const screen = screenOf(ui);
  const width = layout.size.columns;
  const height = layout.textHeight + 2;
  switch (screen.kind) {
    case "list":
    case "filter":
      return { body: mainScreen(ui, snapshot, layout, clock, screen), scrollMax: 0 };
    case "endpoints":
      return {
        body: endpoints(snapshot, clock, {
          width,
          height,
          selected: Math.min(screen.selected, snapshot.endpoints.length - 1),
        }),
        scrollMax: 0,
      };
    case "help":
      return textScreen(helpLines(clock.zone), screen.scroll, { title: [span("help")], width, height });
    case "delivery": {
      if (snapshot.detail === null)
        return textScreen([[span(" It is no longer on file.", { dim: true })]], 0, {
          title: [span(plain(screen.id))],
          width,
          height,
        });
      const tab = TABS[screen.tab] ?? "summary";
      const tabs = TABS.flatMap((name, i): Line => [
        span(
          i === screen.tab ? `[${i + 1} ${name}]` : ` ${i + 1} ${name} `,
          i === screen.tab ? { bold: true, inverse: true } : { dim: true },
        ),
      ]);
      const text = detailLines(snapshot.detail, tab, clock, width - 2);
      return textScreen(text, screen.scroll, { title: [span(plain(screen.id))], width, height }, [tabs, []]);
    }
  }
}

function mainScreen(ui: Ui, snapshot: Snapshot, layout: Layout, clock: Clock, screen: Screen): Line[] {
  const { size, isWide, chartHeight, listHeight } = layout;
  const width = size.columns;
  const top = isWide
    ? beside(
        charts(snapshot, CHARTS_WIDTH, chartHeight),
        endpoints(snapshot, clock, { width: width - CHARTS_WIDTH, height: chartHeight, selected: null }),
      )
    : charts(snapshot, width, chartHeight);
  const panel = screen.kind === "filter" ? filterPanel(ui, screen.row, snapshot, width) : [];
  // A panel takes its lines from the list.
  const rows = Math.max(0, listHeight - panel.length);
  const height = size.rows - 2 - chartHeight - panel.length;
  return [...top, ...panel, ...list(ui, snapshot, clock, { width, height, rows, hasTitles: isWide })];
}

function textScreen(
  text: readonly Line[],
  scroll: number,
  frame: { title: Line; width: number; height: number },
  head: readonly Line[] = [],
): Body {
  const rows = frame.height - 2 - head.length;
  const scrollMax = Math.max(0, text.length - rows);
  const from = Math.min(scroll, scrollMax);
  const last = Math.min(text.length, from + rows);
  const corner = scrollMax === 0 ? [] : [span(`${from + 1}-${last} of ${text.length}`, { dim: true })];
  return { body: box({ ...frame, corner }, [...head, ...text.slice(from, last)]), scrollMax };
}

const HINTS: Record<Screen["kind"], readonly (readonly [string, string])[]> = {
  list: [
    ["j/k", "move"],
    [GLYPHS.enter, "open"],
    ["r", "retry"],
    ["f", "filter"],
    ["/", "search"],
    ["space", "pause"],
    ["?", "help"],
    ["q", "quit"],
    ["e", "endpoints"],
    ["t", "test"],
    ["y", "copy id"],
    ["R", "retry all"],
  ],
  delivery: [
    ["1-4", "tabs"],
    ["j/k", "scroll"],
    ["r", "retry"],
    ["t", "test endpoint"],
    ["y", "copy id"],
    ["esc", "back"],
    ["?", "help"],
  ],
  endpoints: [
    ["j/k", "move"],
    [GLYPHS.enter, "its deliveries"],
    ["t", "test"],
    ["y", "copy id"],
    ["esc", "back"],
    ["?", "help"],
  ],
  filter: [
    ["j/k", "choose"],
    ["←/→", "change"],
    ["x", "clear all"],
    [GLYPHS.enter, "done"],
    ["esc", "back"],
  ],
  help: [
    ["j/k", "scroll"],
    ["esc", "back"],
  ],
};

const TONES = { plain: {}, good: { colour: "green" }, bad: { colour: "red" } } as const;

/** What can be pressed; or what is being typed; or what the last key came to. */
function footer(ui: Ui, width: number): Line {
  const { prompt, notice } = ui;
  if (prompt !== null) {
    const question =
      prompt.kind === "search"
        ? "search for an id, an endpoint or an event type: "
        : `${prompt.ids.length} deliveries go again. Type ${prompt.ids.length} to send them: `;
    const end = span("esc leaves it ", { dim: true });
    // The end of what is typed is what matters.
    const room = Math.max(1, width - cellsOf(question) - 3);
    const typed = span(plain(prompt.typed).slice(-room), { bold: true });
    return spread([span(` ${question}`), typed, span("█")], [end], width);
  }
  if (notice !== null) return [span(` ${plain(notice.text)}`, { ...TONES[notice.tone], bold: true })];
  return hints(HINTS[screenOf(ui).kind], width);
}

const asciiLine = (line: Line): Line => line.map((part) => ({ ...part, text: toAscii(part.text) }));
