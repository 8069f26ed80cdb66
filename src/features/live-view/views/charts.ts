import { COUNT_LIMIT } from "../store.ts";
import {
  drawBorder,
  type Colour,
  fit,
  fitLine,
  type StyledLine,
  span,
  lineWidth,
  EIGHTHS,
} from "./cells.ts";
import type { LastHour, Snapshot } from "../state/snapshot.ts";
import { groupDigits, formatDuration } from "../state/time-format.ts";

const LABEL_CELLS = 6;
const TOTAL_CELLS = 9;
const MINUTES = 60;
/** The width at which the charts have one column for each minute of an hour. */
export const CHARTS_WIDTH = LABEL_CELLS + MINUTES + TOTAL_CELLS + 2;
/** The number of levels within one row of a bar. Each level has a character in `EIGHTHS`. */
const LEVELS = 8;
/** The mark of a value above 0 that is too small for the lowest bar. */
const TRACE = ".";

/** Draws one bar per value; the value `max` fills all `height` rows. */
export function drawBars(values: readonly number[], height: number, max: number): string[] {
  const levels = values.map((value) => Math.round((value / max) * height * LEVELS));
  return Array.from({ length: height }, (_, row) => {
    const levelsBelow = (height - 1 - row) * LEVELS;
    return levels
      .map((level, i) =>
        levelsBelow === 0 && level === 0 && (values[i] ?? 0) > 0
          ? TRACE
          : EIGHTHS[Math.min(LEVELS, Math.max(0, level - levelsBelow))],
      )
      .join("");
  });
}

export function renderCharts(snapshot: Snapshot, width: number, height: number): StyledLine[] {
  const inner = width - 2;
  // If there is only one row, it shows the counts without a border.
  const counts = renderCounts(snapshot, height === 1 ? width : inner);
  if (height === 1) return [counts];
  const { delivered, failed } = snapshot.lastHour;
  const columns = Math.min(delivered.length, inner - LABEL_CELLS - TOTAL_CELLS);
  // The border and the counts take three rows; the two charts share the remaining rows.
  const rows = Math.floor((height - 3) / 2);
  const [ok, fail] = [delivered.slice(-columns), failed.slice(-columns)];
  // Both charts have one scale, so that a few failures look few.
  const max = Math.max(1, ...ok, ...fail);
  const lines = [
    ...renderChart("ok", ok, "green", max, rows, inner),
    ...renderChart("fail", fail, "red", max, rows, inner),
  ];
  const scale = `1 col = 1 min, full = ${compact(max)}`;
  const title = [span(`last ${columns} min`)];
  const topRight = [span(scale, { dim: true })];
  return drawBorder({ title, topRight, width, height }, [...lines, counts]);
}

function renderChart(
  label: string,
  values: readonly number[],
  colour: Colour,
  max: number,
  rows: number,
  inner: number,
): StyledLine[] {
  const total = sum(values);
  const totalText = total < 100_000 ? groupDigits(total) : compact(total);
  return drawBars(values, rows, max).map((bar, row) => {
    const isBottom = row === rows - 1;
    return fitLine(
      [
        span(fit(isBottom ? ` ${label}` : "", LABEL_CELLS)),
        span(bar, { colour }),
        span(fit(isBottom ? totalText : "", TOTAL_CELLS - 2, "right"), { bold: true }),
      ],
      inner,
    );
  });
}

/**
 * A figure in the line of counts. If the line is too long, the figure with the highest rank is
 * dropped first.
 */
type CountItem = { line: StyledLine; rank: number };

function renderCounts({ counts, lastHour }: Snapshot, width: number): StyledLine {
  const count = (word: string, n: number, colour: Colour, rank: number): CountItem => ({
    rank,
    line: [
      span(`${word} `, { dim: true }),
      n === 0 ? span("0") : span(n === COUNT_LIMIT ? "10k+" : compact(n), { colour, bold: true }),
    ],
  });
  const time = (word: string, ms: number | null, rank: number): CountItem[] =>
    ms === null
      ? []
      : [{ rank, line: [span(`${word} `, { dim: true }), span(formatDuration(ms))] }];
  const success = formatSuccessRate(lastHour);
  let items: CountItem[] = [
    count("pending", counts.pending, "cyan", 1),
    count("retrying", counts.retrying, "yellow", 2),
    count("exhausted", counts.exhausted, "red", 0),
    ...time("p50", lastHour.p50Ms, 5),
    ...time("p95", lastHour.p95Ms, 4),
    ...(success === null
      ? []
      : [{ rank: 3, line: [span("success ", { dim: true }), span(success)] }]),
  ];
  const joined = () => items.flatMap(({ line }) => [span(" "), ...line, span(" ")]);
  // The limit is `width + 1`, because the space at the end of the line may be cut off.
  while (lineWidth(joined()) > width + 1 && items.length > 1) {
    const highest = Math.max(...items.map(({ rank }) => rank));
    items = items.filter(({ rank }) => rank !== highest);
  }
  return fitLine(joined(), width);
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Returns a text such as `99.9 %`; null if no attempt was made in the hour. */
function formatSuccessRate({ delivered, failed }: LastHour): string | null {
  const succeeded = sum(delivered);
  const attempts = succeeded + sum(failed);
  if (attempts === 0) return null;
  // Round down, so that only a perfect hour shows 100.0 %.
  return `${(Math.floor((succeeded / attempts) * 1000) / 10).toFixed(1)} %`;
}

/** Returns a text such as `9 999`, `30k` or `1.2M`. */
function compact(n: number): string {
  if (n < 10_000) return groupDigits(n);
  return n < 1_000_000
    ? `${Math.floor(n / 1000)}k`
    : `${(Math.floor(n / 100_000) / 10).toFixed(1)}M`;
}
