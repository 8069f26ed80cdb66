export type Size = { columns: number; rows: number };

/** Below this nothing of use fits. */
export const MIN_SIZE: Size = { columns: 50, rows: 12 };

/** How the lines of the main screen are dealt out. */
export type Layout = {
  size: Size;
  /** Two charts and the endpoints beside them. */
  isWide: boolean;
  /** Lines above the list, the header apart. */
  chartHeight: number;
  /** Rows of deliveries. */
  listHeight: number;
  /** Lines of text on a screen that lies on the list. */
  textHeight: number;
};

const HEADER = 1;
const FOOTER = 1;
const EDGES = 2;

export const isTooSmall = ({ columns, rows }: Size): boolean =>
  columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;

export function layoutFor(size: Size): Layout {
  const isWide = size.columns >= 120 && size.rows >= 32;
  // Where lines are few the counts do without their charts.
  const chartHeight = isWide ? 11 : size.rows >= 18 ? 5 : 1;
  const titles = isWide ? 1 : 0;
  const rest = size.rows - HEADER - FOOTER - EDGES;
  // Of a window that is nearly shut too: a page of less than nothing would be read as all there is.
  const listHeight = Math.max(1, rest - chartHeight - titles);
  return { size, isWide, chartHeight, listHeight, textHeight: Math.max(1, rest) };
}
