import { safe } from "../../domain/text.ts";

export type Column<Row> = {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  align?: "right";
  /** Never truncated, because users copy it: an ID or a key. */
  noTruncate?: true;
  /** Omitted if the terminal is too narrow; the last optional column is omitted first. */
  optional?: true;
};

const GAP = "  ";
const MIN_COLUMN_WIDTH = 8;

/** Returns lines of aligned columns, the titles first, truncated to `width` terminal cells. */
export function toTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)));
  const widths = columns.map((column, i) =>
    cells.reduce((widest, line) => Math.max(widest, cellWidth(line[i] ?? "")), column.title.length),
  );
  const dropped = columns.findLast((column) => column.optional);
  if (dropped && lineWidth(widths) > width)
    return toTable(
      rows,
      columns.filter((column) => column !== dropped),
      width,
    );
  shrink(widths, columns, width);
  const line = (texts: string[]) =>
    texts
      .map((text, i) => pad(truncate(text, widths[i] ?? 0), widths[i] ?? 0, columns[i]?.align))
      .join(GAP)
      .trimEnd();
  return [columns.map((column) => column.title), ...cells].map(line);
}

/** Returns a line per row, without titles, for cut, awk and while read. */
export const toTsv = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string =>
  rows.map((row) => `${columns.map((column) => cellText(column, row)).join("\t")}\n`).join("");

/** Escapes control characters in each line of a text. */
export const safeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => safe(line, 10_000))
    .join("\n");

const cellText = <Row>(column: Column<Row>, row: Row): string =>
  safe(String(column.value(row) ?? ""));

/** Narrows `widths` to the available width, always taking a cell from the widest column. */
function shrink<Row>(widths: number[], columns: readonly Column<Row>[], available: number): void {
  let excess = lineWidth(widths) - available;
  const reducible = (i: number) =>
    columns[i]?.noTruncate ? 0 : Math.max(0, (widths[i] ?? 0) - MIN_COLUMN_WIDTH);
  for (; excess > 0; excess--) {
    const widest = widths.reduce((best, _, i) => (reducible(i) > reducible(best) ? i : best), 0);
    if (reducible(widest) === 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

const pad = (text: string, width: number, align: "right" | undefined): string => {
  const space = " ".repeat(Math.max(0, width - cellWidth(text)));
  return align === "right" ? space + text : text + space;
};

function truncate(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let kept = "";
  for (const char of text) {
    if (cellWidth(kept + char) >= width) break;
    kept += char;
  }
  return `${kept}…`;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Width in terminal cells: combining marks take none, East Asian characters and emoji two. */
export function cellWidth(text: string): number {
  let width = 0;
  for (const char of text) width += /\p{M}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** Formats epoch milliseconds. */
export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** Cuts an ISO time to seconds, for a table column. */
export const shortTime = (iso: string | null): string | null => iso && `${iso.slice(0, 19)}Z`;
