import { safe } from "../../domain/text.ts";

type Cell = string | number | null | undefined;
type FieldOf<Row> = { [K in keyof Row]-?: Row[K] extends Cell ? K : never }[keyof Row] & string;

/**
 * A column of a table. A plain field name stands for a column that shows this field and has its
 * name in capitals as the title.
 */
export type Column<Row> = FieldOf<Row> | ColumnSpec<Row>;
type ColumnSpec<Row> = {
  title: string;
  value: FieldOf<Row> | ((row: Row) => Cell);
  align?: "right";
  /** The column is never truncated, because users copy its values, such as IDs and keys. */
  noTruncate?: true;
  /**
   * The column is omitted on a terminal that is too narrow; the last optional one is omitted first.
   */
  optional?: true;
  /** The column moves to a second line below the row on a terminal too narrow for all columns. */
  wraps?: true;
  /** The column is printed to pipes only. A terminal shows another column in its place. */
  isPipeOnly?: true;
};

const GAP = "  ";
const INDENT = "  ";
/** The minimum width of a truncated column, in terminal cells. */
const MIN_COLUMN_WIDTH = 8;

/**
 * Returns the rows in aligned columns, the titles first, truncated to `width` terminal cells. A row
 * takes a second line if columns are wrapped.
 */
export function toTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): string[] {
  const specs = columns.map(toSpec).filter(({ isPipeOnly }) => !isPipeOnly);
  const cells = rows.map((row) => specs.map((column) => cellText(column, row)));
  const widths = specs.map((column, i) =>
    cells.reduce((widest, line) => Math.max(widest, cellWidth(line[i] ?? "")), column.title.length),
  );
  const wrapped = specs.filter(({ wraps }) => wraps);
  if (wrapped.length > 0 && lineWidth(widths) > width) {
    const first = specs.filter((column) => !wrapped.includes(column));
    const second = wrapped.map(({ wraps: _, ...column }) => column);
    const below = toTable(rows, second, width - INDENT.length);
    return toTable(rows, first, width).map((line, i) =>
      below[i] === "" ? line : `${line}\n${INDENT}${below[i]}`,
    );
  }
  const dropped = specs.findLast((column) => column.optional);
  if (dropped && lineWidth(widths) > width)
    return toTable(
      rows,
      specs.filter((column) => column !== dropped),
      width,
    );
  shrink(widths, specs, width);
  const line = (texts: string[]) =>
    texts
      .map((text, i) => pad(truncate(text, widths[i] ?? 0), widths[i] ?? 0, specs[i]?.align))
      .join(GAP)
      .trimEnd();
  return [specs.map((column) => column.title), ...cells].map(line);
}

/**
 * Returns a line per row with tabs between the cells and no titles, for tools such as cut and awk.
 */
export function toTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const specs = columns.map(toSpec);
  return rows.map((row) => `${specs.map((column) => cellText(column, row)).join("\t")}\n`).join("");
}

/** Returns the specification of a column. The fields `id` and `key` are never truncated. */
const toSpec = <Row>(column: Column<Row>): ColumnSpec<Row> =>
  typeof column === "object"
    ? column
    : {
        title: column.toUpperCase(),
        value: column,
        ...(/^(id|key)$/.test(column) && { noTruncate: true }),
      };

/** Escapes control characters in each line of a text. */
export const safeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => safe(line, 10_000))
    .join("\n");

const cellText = <Row>({ value }: ColumnSpec<Row>, row: Row): string =>
  safe(String((typeof value === "function" ? value(row) : row[value]) ?? ""));

/**
 * Takes one terminal cell after the other from the widest column, until the columns fit into
 * `available` cells.
 */
function shrink<Row>(
  widths: number[],
  columns: readonly ColumnSpec<Row>[],
  available: number,
): void {
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
  // A joiner at the cut has lost the character that it joins.
  return `${kept.replace(/\p{Cf}$/u, "")}…`;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/**
 * Returns the width in terminal cells: combining marks and joiners take none, East Asian characters
 * and emoji two.
 */
export function cellWidth(text: string): number {
  let width = 0;
  for (const char of text) width += /[\p{M}\p{Cf}]/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** Returns the row with the named fields, which are epoch milliseconds, as ISO times. */
export const withIsoTimes = <Row extends object, Name extends keyof Row>(
  row: Row,
  ...names: Name[]
): Omit<Row, Name> & Record<Name, string | null> => ({
  ...row,
  ...(Object.fromEntries(
    names.map((name) => [name, isoTime(row[name] as number | null)]),
  ) as Record<Name, string | null>),
});

export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** Cuts an ISO time to seconds, for a table column. */
export const shortTime = (iso: string | null): string | null => iso && `${iso.slice(0, 19)}Z`;
