import {
  type Border,
  drawBorder,
  fitLine,
  type StyledLine,
  mergeSpans,
  sanitize,
  span,
  toAscii,
} from "./cells.ts";
import { renderCharts, CHARTS_WIDTH } from "./charts.ts";
import { describeShownDay, renderDay, visitIndex } from "./day.ts";
import { renderDetail } from "./detail.ts";
import { renderEndpoints } from "./endpoints.ts";
import { renderFooter } from "./footer.ts";
import { renderHeader } from "./header.ts";
import { renderFirstConditions, renderConditions, shownConditions } from "./conditions.ts";
import { renderList } from "./delivery-list.ts";
import { renderCurl } from "./curl.ts";
import { renderFilterPanel } from "./filter-panel.ts";
import { renderHelp } from "./help.ts";
import { currentScreen, endpointIndex, type Extent } from "../state/screens.ts";
import { renderSecret } from "./secret.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { TimeFormat } from "../state/time-format.ts";
import { type Screen, TABS, type UiState } from "../state/ui-state.ts";

export type Size = { columns: number; rows: number };

/** The smallest terminal with a view. A phone in portrait has about 45 columns. */
export const MIN_SIZE: Size = { columns: 40, rows: 12 };

/** How the rows of the terminal are divided. Heights are in rows. */
export type Layout = {
  size: Size;
  isWide: boolean;
  conditionRows: number;
  /** The charts with their border. */
  chartHeight: number;
  /** The list without its border and titles. */
  listHeight: number;
  /** The text of a screen that covers the list, without its border. */
  textHeight: number;
};

const HEADER_ROWS = 1;
const FOOTER_ROWS = 1;
/** The top and bottom edge of a border. */
const EDGE_ROWS = 2;

export const isTooSmall = ({ columns, rows }: Size): boolean =>
  columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;

/** @param conditions the number of open conditions */
export function layoutFor(size: Size, conditions: number): Layout {
  const isWide = size.columns >= 120 && size.rows >= 32;
  const conditionRows = Math.min(conditions, isWide ? 4 : size.rows >= 24 ? 2 : 1);
  // A low terminal shows only the counts, without charts.
  const chartHeight = isWide ? 11 : size.rows >= 18 ? 5 : 1;
  const titleRows = isWide ? 1 : 0;
  const rowsInBorder = size.rows - HEADER_ROWS - FOOTER_ROWS - EDGE_ROWS;
  // The list has at least one row, because SQLite reads a negative limit as "no limit".
  const listHeight = Math.max(1, rowsInBorder - conditionRows - chartHeight - titleRows);
  const textHeight = Math.max(1, rowsInBorder);
  return { size, isWide, conditionRows, chartHeight, listHeight, textHeight };
}

export type ViewSettings = { version: string; timeFormat: TimeFormat; isAscii: boolean };

export type Frame = Extent & { lines: StyledLine[] };

/**
 * Draws the whole screen, one line of the terminal's full width for each row. A terminal that is
 * too small gets one line.
 */
export function renderFrame(
  ui: UiState,
  snapshot: Snapshot,
  size: Size,
  settings: ViewSettings,
): Frame {
  if (isTooSmall(size)) {
    const text = `Needs ${MIN_SIZE.columns}x${MIN_SIZE.rows}, this terminal is ${size.columns}x${size.rows}. q quits.`;
    return { lines: [fitLine([span(text)], size.columns)], scrollMax: 0, pageRows: 0 };
  }
  const { version, timeFormat, isAscii } = settings;
  const layout = layoutFor(size, shownConditions(ui, snapshot).length);
  const { body, scrollMax, pageRows } = renderBody(ui, snapshot, layout, settings);
  const foot = renderFooter(ui, size.columns, isAscii);
  // A footer with several lines covers the end of the body.
  const shown = body.slice(0, size.rows - HEADER_ROWS - foot.length);
  const lines = [renderHeader(ui, snapshot, version, timeFormat, size.columns), ...shown, ...foot];
  const finish = (line: StyledLine) =>
    mergeSpans(isAscii ? asciiLine(fitLine(line, size.columns)) : fitLine(line, size.columns));
  return { lines: lines.map(finish), scrollMax, pageRows };
}

type Body = Extent & { body: StyledLine[] };

function renderBody(
  ui: UiState,
  snapshot: Snapshot,
  layout: Layout,
  { timeFormat, isAscii }: ViewSettings,
): Body {
  const screen = currentScreen(ui);
  const width = layout.size.columns;
  const height = layout.textHeight + EDGE_ROWS;
  switch (screen.kind) {
    case "list":
    case "filter":
      return {
        body: renderMain(ui, snapshot, layout, timeFormat, screen),
        scrollMax: 0,
        pageRows: layout.listHeight,
      };
    case "endpoints":
      return {
        body: renderEndpoints(snapshot, timeFormat, {
          width,
          height,
          selected: endpointIndex(screen, snapshot.endpoints),
        }),
        scrollMax: 0,
        pageRows: layout.textHeight,
      };
    case "day": {
      const { day, takenAt } = snapshot;
      const selected = visitIndex(screen.selected, day, takenAt);
      const { head, rows, about } = renderDay(day, width - 2, selected);
      const shown = layout.textHeight - head.length - about.length;
      const border = { title: [span(describeShownDay(day))], width, height };
      return renderText(rows, selected - Math.floor(shown / 2), border, head, about);
    }
    case "conditions":
      return renderText(renderConditions(shownConditions(ui, snapshot), width - 2), screen.scroll, {
        title: [span("problems")],
        width,
        height,
      });
    case "help":
      return renderText(renderHelp(timeFormat.timeZone, isAscii, width - 2), screen.scroll, {
        title: [span("help")],
        width,
        height,
      });
    case "secret":
      return renderPlain(renderSecret(screen, timeFormat, width), 0, height);
    case "curl":
      return renderPlain(renderCurl(snapshot.detail, width), screen.scroll, height);
    case "delivery": {
      if (snapshot.detail === null)
        return renderText([[span(" This delivery no longer exists.", { dim: true })]], 0, {
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
      const text = renderDetail(snapshot.detail, tab, timeFormat, width - 2);
      return renderText(
        text,
        screen.scroll,
        { title: [span(sanitize(screen.id))], width, height },
        [tabs, []],
      );
    }
  }
}

function renderMain(
  ui: UiState,
  snapshot: Snapshot,
  layout: Layout,
  timeFormat: TimeFormat,
  screen: Screen,
): StyledLine[] {
  const { size, isWide, conditionRows, chartHeight, listHeight } = layout;
  const width = size.columns;
  const top = isWide
    ? joinColumns(
        renderCharts(snapshot, CHARTS_WIDTH, chartHeight),
        renderEndpoints(snapshot, timeFormat, {
          width: width - CHARTS_WIDTH,
          height: chartHeight,
          selected: null,
        }),
      )
    : renderCharts(snapshot, width, chartHeight);
  const panel =
    screen.kind === "filter" ? renderFilterPanel(ui, screen.row, snapshot, timeFormat, width) : [];
  const rows = Math.max(0, listHeight - panel.length);
  const bodyRows = size.rows - HEADER_ROWS - FOOTER_ROWS;
  const height = bodyRows - conditionRows - chartHeight - panel.length;
  return [
    ...renderFirstConditions(shownConditions(ui, snapshot), conditionRows, width),
    ...top,
    ...panel,
    ...renderList(ui, snapshot, timeFormat, { width, height, rows, hasTitles: isWide }),
  ];
}

const joinColumns = (left: readonly StyledLine[], right: readonly StyledLine[]): StyledLine[] =>
  left.map((line, i) => [...line, ...(right[i] ?? [])]);

/**
 * Draws `text` in a border. The text is scrolled between the lines of `head` and `foot`, which stay
 * in place.
 */
function renderText(
  text: readonly StyledLine[],
  scroll: number,
  border: Border,
  head: readonly StyledLine[] = [],
  foot: readonly StyledLine[] = [],
): Body {
  const rows = border.height - EDGE_ROWS - head.length - foot.length;
  const scrollMax = Math.max(0, text.length - rows);
  const from = Math.max(0, Math.min(scroll, scrollMax));
  const last = Math.min(text.length, from + rows);
  const topRight =
    scrollMax === 0 ? [] : [span(`${from + 1}-${last} of ${text.length}`, { dim: true })];
  return {
    body: drawBorder({ ...border, topRight }, [
      ...head,
      // Blank rows keep a foot at the bottom.
      ...Array.from(
        { length: foot.length === 0 ? last - from : rows },
        (_, i) => text[from + i] ?? [],
      ),
      ...foot,
    ]),
    scrollMax,
    pageRows: rows,
  };
}

/** Draws plain text without a border, so that it can be selected. */
function renderPlain(text: readonly StyledLine[], scroll: number, height: number): Body {
  const scrollMax = Math.max(0, text.length - height);
  const from = Math.min(scroll, scrollMax);
  const shown = Array.from({ length: height }, (_, i) => text[from + i] ?? []);
  return { body: shown, scrollMax, pageRows: height };
}

const asciiLine = (line: StyledLine): StyledLine =>
  line.map((part) => ({ ...part, text: toAscii(part.text) }));
