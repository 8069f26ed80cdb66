import { drawBorder, joinColumns } from "./border.ts";
import { fitLine, type StyledLine, mergeSpans, sanitize, span } from "./cells.ts";
import { renderCharts, CHARTS_WIDTH } from "./charts.ts";
import { renderDetail } from "./detail.ts";
import { renderEndpoints } from "./endpoints.ts";
import { renderFooter } from "./footer.ts";
import { toAscii } from "./glyphs.ts";
import { renderHeader } from "./header.ts";
import { renderList } from "./delivery-list.ts";
import { renderFilterPanel, renderHelp } from "./panels.ts";
import { isTooSmall, type Layout, layoutFor, type Size, MIN_SIZE } from "./layout.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TimeFormat } from "./time-format.ts";
import { endpointIndex, type Screen, currentScreen, TABS, type UiState } from "./ui-state.ts";

/** What does not change while the view runs. */
export type ViewSettings = { version: string; clock: TimeFormat; isAscii: boolean };

export type Frame = {
  lines: StyledLine[];
  /** How far what is on the screen can be scrolled. */
  scrollMax: number;
  /** How many rows of it are on the screen. */
  page: number;
};

/** What the person sees: exactly as many lines as the terminal has, each exactly as wide. */
export function renderFrame(
  ui: UiState,
  snapshot: Snapshot,
  size: Size,
  setting: ViewSettings,
): Frame {
  if (isTooSmall(size)) {
    const text = `It needs ${MIN_SIZE.columns}x${MIN_SIZE.rows}, this is ${size.columns}x${size.rows}. q quits.`;
    return { lines: [fitLine([span(text)], size.columns)], scrollMax: 0, page: 0 };
  }
  const { version, clock, isAscii } = setting;
  const { body, scrollMax, page } = bodyOf(ui, snapshot, layoutFor(size), setting);
  const foot = renderFooter(ui, size.columns, isAscii);
  // What takes more than a line lies on the end of the body.
  const shown = body.slice(0, size.rows - 1 - foot.length);
  const lines = [renderHeader(ui, snapshot, version, clock, size.columns), ...shown, ...foot];
  const finish = (line: StyledLine) =>
    mergeSpans(isAscii ? asciiLine(fitLine(line, size.columns)) : fitLine(line, size.columns));
  return { lines: lines.map(finish), scrollMax, page };
}

type Body = { body: StyledLine[]; scrollMax: number; page: number };

function bodyOf(
  ui: UiState,
  snapshot: Snapshot,
  layout: Layout,
  { clock, isAscii }: ViewSettings,
): Body {
  const screen = currentScreen(ui);
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
        body: renderEndpoints(snapshot, clock, {
          width,
          height,
          selected: endpointIndex(screen, snapshot.endpoints),
        }),
        scrollMax: 0,
        page: height - 2,
      };
    case "help":
      return textScreen(renderHelp(clock.zone, isAscii, width - 2), screen.scroll, {
        title: [span("help")],
        width,
        height,
      });
    case "delivery": {
      if (snapshot.detail === null)
        return textScreen([[span(" It is no longer on file.", { dim: true })]], 0, {
          title: [span(sanitize(screen.id))],
          width,
          height,
        });
      const tab = TABS[screen.tab] ?? "summary";
      const tabs = TABS.flatMap((name, i): StyledLine => [
        span(
          i === screen.tab ? `[${i + 1} ${name}]` : ` ${i + 1} ${name} `,
          i === screen.tab ? { bold: true, inverse: true } : { dim: true },
        ),
      ]);
      const text = renderDetail(snapshot.detail, tab, clock, width - 2);
      return textScreen(
        text,
        screen.scroll,
        { title: [span(sanitize(screen.id))], width, height },
        [tabs, []],
      );
    }
  }
}

function mainScreen(
  ui: UiState,
  snapshot: Snapshot,
  layout: Layout,
  clock: TimeFormat,
  screen: Screen,
): StyledLine[] {
  const { size, isWide, chartHeight, listHeight } = layout;
  const width = size.columns;
  const top = isWide
    ? joinColumns(
        renderCharts(snapshot, CHARTS_WIDTH, chartHeight),
        renderEndpoints(snapshot, clock, {
          width: width - CHARTS_WIDTH,
          height: chartHeight,
          selected: null,
        }),
      )
    : renderCharts(snapshot, width, chartHeight);
  const panel = screen.kind === "filter" ? renderFilterPanel(ui, screen.row, snapshot, width) : [];
  // A panel takes its lines from the list.
  const rows = Math.max(0, listHeight - panel.length);
  const height = size.rows - 2 - chartHeight - panel.length;
  return [
    ...top,
    ...panel,
    ...renderList(ui, snapshot, clock, { width, height, rows, hasTitles: isWide }),
  ];
}

function textScreen(
  text: readonly StyledLine[],
  scroll: number,
  frame: { title: StyledLine; width: number; height: number },
  head: readonly StyledLine[] = [],
): Body {
  const rows = frame.height - 2 - head.length;
  const scrollMax = Math.max(0, text.length - rows);
  const from = Math.min(scroll, scrollMax);
  const last = Math.min(text.length, from + rows);
  const corner =
    scrollMax === 0 ? [] : [span(`${from + 1}-${last} of ${text.length}`, { dim: true })];
  return {
    body: drawBorder({ ...frame, corner }, [...head, ...text.slice(from, last)]),
    scrollMax,
    page: rows,
  };
}

const asciiLine = (line: StyledLine): StyledLine =>
  line.map((part) => ({ ...part, text: toAscii(part.text) }));
