import { safe } from "../../domain/safe-text.ts";

export type Column<Row> = {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  align?: "right";
  /** What must be copied whole, an id or a key, is never cut. */
  noTruncate?: true;
  /** Left out where the terminal is too narrow for all, the last first. */
  optional?: true;
};

const GAP = "  ";
const NARROWEST = 8;

/** Lines of aligned columns, the titles first, cut to `width` terminal cells. */
export function toTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)));
  const widths = columns.map((column, i) =>
    cells.reduce((widest, line) => Math.max(widest, cellWidth(line[i] ?? "")), column.title.length),
  );
  const spare = columns.findLast((column) => column.optional);
  if (spare && lineWidth(widths) > width)
    return toTable(
      rows,
      columns.filter((column) => column !== spare),
      width,
    );
  shrink(widths, columns, width);
  const line = (texts: string[]) =>
    texts
      .map((text, i) => pad(clip(text, widths[i] ?? 0), widths[i] ?? 0, columns[i]?.align))
      .join(GAP)
      .trimEnd();
  return [columns.map((column) => column.title), ...cells].map(line);
}

/** One line a row, without titles: for cut, awk and while read. */
export const toTsv = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string =>
  rows.map((row) => `${columns.map((column) => cellText(column, row)).join("\t")}\n`).join("");

/** A text of several lines, made harmless line by line. */
export const safeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => safe(line, 10_000))
    .join("\n");

const cellText = <Row>(column: Column<Row>, row: Row): string =>
  safe(String(column.value(row) ?? ""));

/** Takes what is too much, cell by cell, from the column that is the widest at that moment. */
function shrink<Row>(widths: number[], columns: readonly Column<Row>[], available: number): void {
  let excess = lineWidth(widths) - available;
  const spare = (i: number) =>
    columns[i]?.noTruncate ? 0 : Math.max(0, (widths[i] ?? 0) - NARROWEST);
  for (; excess > 0; excess--) {
    const widest = widths.reduce((best, _, i) => (spare(i) > spare(best) ? i : best), 0);
    if (spare(widest) === 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

const pad = (text: string, width: number, align: "right" | undefined): string => {
  const space = " ".repeat(Math.max(0, width - cellWidth(text)));
  return align === "right" ? space + text : text + space;
};

function clip(text: string, width: number): string {
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

/** Terminal cells: combining marks take none, East Asian letters and emoji two. */
export function cellWidth(text: string): number {
  let width = 0;
  for (const char of text) width += /\p{M}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** How times are printed. */
export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** In a column seconds are enough. */
export const shortTime = (iso: string | null): string | null => iso && `${iso.slice(0, 19)}Z`;
