export type Size = { columns: number; rows: number };

export const MIN_SIZE: Size = { columns: 50, rows: 12 };

/** How the main screen is divided. */
export type Layout = {
  size: Size;
  /** Shows the endpoints to the right of the charts. */
  isWide: boolean;
  /** The lines between the header and the list. */
  chartHeight: number;
  /** The rows of deliveries. */
  listHeight: number;
  /** The lines of text on the other screens, such as help. */
  textHeight: number;
};

const HEADER = 1;
const FOOTER = 1;
const EDGES = 2;

export const isTooSmall = ({ columns, rows }: Size): boolean =>
  columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;

export function layoutFor(size: Size): Layout {
  const isWide = size.columns >= 120 && size.rows >= 32;
  // A low terminal shows only the counts, without charts.
  const chartHeight = isWide ? 11 : size.rows >= 18 ? 5 : 1;
  const titles = isWide ? 1 : 0;
  const rest = size.rows - HEADER - FOOTER - EDGES;
  // At least 1: SQLite reads a negative limit as no limit.
  const listHeight = Math.max(1, rest - chartHeight - titles);
  return { size, isWide, chartHeight, listHeight, textHeight: Math.max(1, rest) };
}
