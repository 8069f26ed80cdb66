import { box, beside } from "./box.ts";
import { fitLine, type Line, merge, plain, span } from "./cells.ts";
import { charts, CHARTS_WIDTH } from "./charts.ts";
import { detailLines } from "./detail.ts";
import { endpoints } from "./endpoints.ts";
import { footer } from "./footer.ts";
import { toAscii } from "./glyphs.ts";
import { header } from "./header.ts";
import { list } from "./list.ts";
import { filterPanel, helpLines } from "./panels.ts";
import { isTooSmall, type Layout, layoutFor, type Size, SMALLEST } from "./size.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Clock } from "./times.ts";
import { endpointIndex, type Screen, screenOf, TABS, type Ui } from "./ui.ts";

/** What does not change while the view runs. */
export type Setting = { version: string; clock: Clock; isAscii: boolean };

export type Frame = {
  lines: Line[];
  /** How far what is on the screen can be scrolled. */
  scrollMax: number;
  /** How many rows of it are on the screen. */
  page: number;
};

/** What the person sees: exactly as many lines as the terminal has, each exactly as wide. */
export function frameOf(ui: Ui, snapshot: Snapshot, size: Size, setting: Setting): Frame {
  if (isTooSmall(size)) {
    const text = `It needs ${SMALLEST.columns}x${SMALLEST.rows}, this is ${size.columns}x${size.rows}. q quits.`;
    return { lines: [fitLine([span(text)], size.columns)], scrollMax: 0, page: 0 };
  }
  const { version, clock, isAscii } = setting;
  const { body, scrollMax, page } = bodyOf(ui, snapshot, layoutFor(size), setting);
  const foot = footer(ui, size.columns, isAscii);
  // What takes more than a line lies on the end of the body.
  const shown = body.slice(0, size.rows - 1 - foot.length);
  const lines = [header(ui, snapshot, version, clock, size.columns), ...shown, ...foot];
  const finish = (line: Line) =>
    merge(isAscii ? asciiLine(fitLine(line, size.columns)) : fitLine(line, size.columns));
  return { lines: lines.map(finish), scrollMax, page };
}

type Body = { body: Line[]; scrollMax: number; page: number };

function bodyOf(ui: Ui, snapshot: Snapshot, layout: Layout, { clock, isAscii }: Setting): Body {
  const screen = screenOf(ui);
  const width = layout.size.columns;
  const height = layout.textHeight + 2;
  switch (screen.kind) {
    case "list":
    case "filter":
      return {
        body: mainScreen(ui, snapshot, layout, clock, screen),
        scrollMax: 0,
        page: layout.listHeight,
      };
    case "endpoints":
      return {
        body: endpoints(snapshot, clock, {
          width,
          height,
          selected: endpointIndex(screen, snapshot.endpoints),
        }),
        scrollMax: 0,
        page: height - 2,
      };
    case "help":
      return textScreen(helpLines(clock.zone, isAscii, width - 2), screen.scroll, {
        title: [span("help")],
        width,
        height,
      });
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
      return textScreen(text, screen.scroll, { title: [span(plain(screen.id))], width, height }, [
        tabs,
        [],
      ]);
    }
  }
}

function mainScreen(
  ui: Ui,
  snapshot: Snapshot,
  layout: Layout,
  clock: Clock,
  screen: Screen,
): Line[] {
  const { size, isWide, chartHeight, listHeight } = layout;
  const width = size.columns;
  const top = isWide
    ? beside(
        charts(snapshot, CHARTS_WIDTH, chartHeight),
        endpoints(snapshot, clock, {
          width: width - CHARTS_WIDTH,
          height: chartHeight,
          selected: null,
        }),
      )
    : charts(snapshot, width, chartHeight);
  const panel = screen.kind === "filter" ? filterPanel(ui, screen.row, snapshot, width) : [];
  // A panel takes its lines from the list.
  const rows = Math.max(0, listHeight - panel.length);
  const height = size.rows - 2 - chartHeight - panel.length;
  return [
    ...top,
    ...panel,
    ...list(ui, snapshot, clock, { width, height, rows, hasTitles: isWide }),
  ];
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
  const corner =
    scrollMax === 0 ? [] : [span(`${from + 1}-${last} of ${text.length}`, { dim: true })];
  return {
    body: box({ ...frame, corner }, [...head, ...text.slice(from, last)]),
    scrollMax,
    page: rows,
  };
}

const asciiLine = (line: Line): Line => line.map((part) => ({ ...part, text: toAscii(part.text) }));
