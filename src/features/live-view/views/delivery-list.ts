import { nextAttemptOf } from "../../../domain/webhooks/failing-endpoint.ts";
import { MAX_ATTEMPTS } from "../../../domain/webhooks/settle.ts";
import type { SearchState } from "../../../store/webhooks/delivery-search.ts";
import { COUNT_LIMIT } from "../store.ts";
import { type FoundDelivery } from "../../../store/webhooks/delivery-search.ts";
import {
  drawBorder,
  fit,
  fitLine,
  type StyledLine,
  sanitize,
  type Span,
  span,
  GLYPHS,
  type Colour,
} from "./cells.ts";
import { clamp, selectedIndex } from "../state/list-navigation.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type TimeFormat, groupDigits, formatDuration } from "../state/time-format.ts";
import { filterNames } from "../state/filter-names.ts";
import { FILTER_FIELDS, isFiltered, type UiState } from "../state/ui-state.ts";

type Column = {
  title: string;
  cells: number;
  align?: "right";
  span: (row: FoundDelivery, cells: number) => Span;
};

// These widths are in cells. A wide terminal has room for the longest event type. A narrower
// terminal that still has a column for receivers has room for an event type of usual length.
const CURSOR_CELLS = 1;
const LONGEST_TYPE_CELLS = 26;
const USUAL_TYPE_CELLS = 21;
const USUAL_HOST_CELLS = 31;
const ERROR_CELLS = 20;

export function renderList(
  ui: UiState,
  snapshot: Snapshot,
  timeFormat: TimeFormat,
  {
    width,
    height,
    rows,
    hasTitles,
  }: { width: number; height: number; rows: number; hasTitles: boolean },
): StyledLine[] {
  const inner = width - 2;
  const columns = columnsFor(inner, snapshot, timeFormat);
  const { rows: loaded, topIndex } = snapshot.list;
  const shown = loaded.slice(topIndex, topIndex + rows);
  const selected = selectedIndex(ui.list, snapshot.list) - topIndex;
  const lines = shown.map((row, i) => renderRow(row, columns, i === selected, inner));
  if (shown.length < rows) lines.push(...renderEndOfList(ui, snapshot, shown.length, inner));
  const titles = hasTitles ? [renderTitles(columns, inner)] : [];
  return drawBorder(
    {
      title: [span("deliveries")],
      topRight: renderFilterAndPosition(ui, snapshot, timeFormat, shown.length),
      width,
      height,
    },
    [...titles, ...lines],
  );
}

function renderRow(
  row: FoundDelivery,
  columns: readonly Column[],
  isSelected: boolean,
  inner: number,
): StyledLine {
  const line = columns.flatMap((column): Span[] => {
    const cell = column.span(row, column.cells);
    return [{ ...cell, text: fit(cell.text, column.cells, column.align) }, span(" ")];
  });
  const marked = fitLine([span(isSelected ? GLYPHS.cursor : " ", { bold: true }), ...line], inner);
  return isSelected ? marked.map((part) => ({ ...part, inverse: true as const })) : marked;
}

const renderTitles = (columns: readonly Column[], inner: number): StyledLine =>
  fitLine(
    [
      span(" "),
      ...columns.map(({ title, cells, align }) =>
        span(`${fit(title, cells, align)} `, { dim: true }),
      ),
    ],
    inner,
  );

/**
 * Returns the columns that fit into `inner` cells. Event type, host and error share the space that
 * the fixed columns leave, so each further fixed column needs a wider terminal.
 */
function columnsFor(
  inner: number,
  { takenAt, businesses }: Snapshot,
  timeFormat: TimeFormat,
): Column[] {
  const hasStatusCode = inner >= 54;
  const fixed: (Column & { isShown?: boolean })[] = [
    {
      title: "CREATED",
      cells: 8,
      span: ({ createdAt }) => span(timeFormat.brief(createdAt, takenAt)),
    },
    { title: "STATE", cells: 11, span: stateSpan },
    {
      title: "",
      cells: 3,
      span: (row) => span(formatLastStatus(row)),
      isShown: hasStatusCode,
    },
    {
      title: "TOOK",
      cells: 6,
      align: "right",
      span: ({ durationMs }) =>
        span(durationMs === null ? "" : formatDuration(durationMs), { dim: true }),
      isShown: inner >= 70,
    },
    { title: "TRIES", cells: 5, align: "right", span: (row) => span(formatAttempts(row)) },
    {
      title: "NEXT",
      cells: 8,
      span: (row) => {
        const { nextAttemptAt } = nextAttemptOf(row, takenAt);
        return span(nextAttemptAt === null ? "" : timeFormat.brief(nextAttemptAt, takenAt));
      },
      isShown: inner >= 100,
    },
    {
      title: "BUSINESS",
      cells: 16,
      span: ({ businessSlug }, cells) => span(sanitize(businessSlug, cells)),
      isShown: inner >= 164 && businesses.length > 1,
    },
    {
      title: "ID",
      cells: 29,
      span: ({ id }) => span(sanitize(id), { dim: true }),
      isShown: inner >= 148,
    },
  ];
  const columns: Column[] = fixed.filter(({ isShown = true }) => isShown);
  // Each column, fixed or flexible, is followed by a space. Each 1 in the sums below is such a
  // space.
  const available = inner - columns.reduce((sum, { cells }) => sum + cells + 1, CURSOR_CELLS) - 1;
  const hasHost = inner >= 64;
  const errorCells = inner >= 100 ? ERROR_CELLS + 1 : 0;
  const typeCells = hasHost
    ? clamp(available - errorCells - USUAL_HOST_CELLS - 1, USUAL_TYPE_CELLS, LONGEST_TYPE_CELLS)
    : available;
  const flexible: Column[] = [
    { title: "EVENT", cells: typeCells, span: ({ eventType }) => span(sanitize(eventType)) },
  ];
  if (hasHost)
    flexible.push({
      title: "RECEIVER",
      cells: available - errorCells - typeCells - 1,
      span: ({ url }) => span(sanitize(hostOf(url))),
    });
  if (errorCells > 0)
    flexible.push({
      title: "ERROR",
      cells: ERROR_CELLS,
      span: ({ lastError }) => span(sanitize(lastError ?? "")),
    });
  // The flexible columns follow the state and the status code.
  return columns.toSpliced(hasStatusCode ? 3 : 2, 0, ...flexible);
}

function stateSpan(row: FoundDelivery): Span {
  const { glyph, word, colour } = STATE_MARKS[liveState(row)];
  return span(`${glyph} ${word}`, { colour });
}

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Returns a text such as `3/20`: attempts made since the last redelivery, and their maximum. */
export const formatAttempts = ({ attemptCount, attemptsBefore }: FoundDelivery): string =>
  `${attemptCount - attemptsBefore}/${MAX_ATTEMPTS}`;

const ERROR_CODES = [
  ["timed out", "t/o"],
  ["refused", "ref"],
  ["unresolvable", "dns"],
  ["TLS", "tls"],
  ["blocked", "blk"],
] as const;

/** Returns the status code of the last response, or three letters for an error. */
export const formatLastStatus = ({ lastStatusCode, lastError }: FoundDelivery): string =>
  lastStatusCode !== null
    ? String(lastStatusCode)
    : (ERROR_CODES.find(([start]) => lastError?.startsWith(start))?.[1] ??
      (lastError === null ? "" : "err"));

function renderEndOfList(
  ui: UiState,
  { list, daemon }: Snapshot,
  shownRows: number,
  inner: number,
): StyledLine[] {
  const say = (text: string): StyledLine[] => [fitLine([span(`  ${text}`, { dim: true })], inner)];
  if (list.reached !== null)
    return say(
      `${shownRows === 0 ? "No match so far" : "There may be more"}: press j to continue.`,
    );
  if (list.rows.length > 0) return [];
  if (ui.search !== null || isFiltered(ui))
    return say("No delivery matches. Press esc to show all.");
  return say(
    `No deliveries yet.${daemon === null ? " Start the daemon with deskbell serve." : ""}`,
  );
}

function renderFilterAndPosition(
  ui: UiState,
  snapshot: Snapshot,
  timeFormat: TimeFormat,
  shownRows: number,
): StyledLine {
  const { offset } = ui.list;
  const { list, businesses } = snapshot;
  const names = filterNames(ui, snapshot, timeFormat);
  // If there is only one business, the header shows it already.
  const fields = FILTER_FIELDS.filter((name) => name !== "businessId" || businesses.length > 1);
  const parts = fields.map((name) => names[name]).filter((name) => name !== undefined);
  if (ui.search !== null) parts.push(`/${ui.search.text}`);
  const label = parts.length === 0 ? "all" : parts.map((part) => sanitize(part, 24)).join(" + ");
  const position =
    shownRows === 0 || offset === null
      ? ""
      : `${groupDigits(offset + 1)}-${groupDigits(offset + shownRows)}`;
  // The count of RETRYING stops at COUNT_LIMIT, so the real number may be greater. No other count
  // stops there.
  const isMinimum = list.total === COUNT_LIMIT && ui.filter.state === "RETRYING";
  const total =
    list.total === null || shownRows === 0
      ? ""
      : ` of ${groupDigits(list.total)}${isMinimum ? "+" : ""}`;
  return [
    span(label, parts.length === 0 ? {} : { colour: "cyan" }),
    span(`  ${position}${total}${position === "" && total === "" ? "" : "  "}`),
    followSpan(ui, list.newCount),
  ];
}

/** Says whether the list follows the newest delivery; if not, how many are new since it stopped. */
function followSpan({ isPaused, list }: UiState, newCount: number): Span {
  if (isPaused) return span(`${GLYPHS.paused} paused`, { colour: "yellow" });
  if (list.top === null) return span(`${GLYPHS.newest} newest`, { colour: "green" });
  if (newCount === 0) return span("G to follow", { dim: true });
  const plus = newCount === COUNT_LIMIT ? "+" : "";
  return span(`${GLYPHS.alarm} ${groupDigits(newCount)}${plus} new`, { colour: "cyan" });
}

/** How each state is shown. Glyphs and words help people who cannot tell the colours apart. */
export const STATE_MARKS: Record<SearchState, { glyph: string; word: string; colour: Colour }> = {
  DELIVERED: { glyph: GLYPHS.ok, word: "delivered", colour: "green" },
  PENDING: { glyph: GLYPHS.waiting, word: "pending", colour: "cyan" },
  RETRYING: { glyph: GLYPHS.failed, word: "failed", colour: "yellow" },
  EXHAUSTED: { glyph: GLYPHS.failed, word: "exhausted", colour: "red" },
  PARKED: { glyph: GLYPHS.ended, word: "parked", colour: "yellow" },
  CANCELLED: { glyph: GLYPHS.ended, word: "cancelled", colour: "gray" },
  CORRUPT: { glyph: GLYPHS.alarm, word: "corrupt", colour: "red" },
};

export const liveState = ({ status, attemptCount, attemptsBefore }: FoundDelivery): SearchState =>
  status === "PENDING" && attemptCount > attemptsBefore ? "RETRYING" : status;
