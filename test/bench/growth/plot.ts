import type { Curve } from "./curves.ts";

const [COLUMNS, WIDTH, HEIGHT, MARGIN] = [3, 300, 210, 46];
const LEGEND_HEIGHT = 40;
/** Colors that are readable on white and on black. */
const COLORS = ["#2563eb", "#d97706", "#059669", "#c026d3", "#dc2626", "#0891b2"];

type Range = { from: number; to: number };

/** Draws a chart for each operation, with a line for each dimension, on logarithmic axes. */
export function drawCharts(curves: readonly Curve[]): string {
  const byOperation = [...Map.groupBy(curves, ({ operation }) => operation)];
  const dimensions = [...new Set(curves.map(({ dimension }) => dimension))];
  const colorOf = (dimension: string) =>
    COLORS[dimensions.indexOf(dimension as Curve["dimension"]) % COLORS.length] ?? "";
  const points = curves.flatMap(({ points }) => points);
  const x = decadesOf(points.map(({ size }) => size));
  const y = decadesOf(points.map(({ cpuMs }) => cpuMs));
  const rows = Math.ceil(byOperation.length / COLUMNS);
  const [width, height] = [COLUMNS * WIDTH, rows * HEIGHT + LEGEND_HEIGHT];
  const legend = dimensions.map(
    (dimension, i) =>
      `<text x="${MARGIN + i * 120}" y="24" style="fill:${colorOf(dimension)}">${dimension}</text>`,
  );
  const charts = byOperation.map(([operation, curves], i) => {
    const at = `${(i % COLUMNS) * WIDTH} ${Math.floor(i / COLUMNS) * HEIGHT + LEGEND_HEIGHT}`;
    const lines = curves.map((curve) => drawLine(curve, colorOf(curve.dimension), x, y));
    const title = `<text x="${MARGIN}" y="14" class="title">${operation}</text>`;
    return `<g transform="translate(${at})">${title}${drawAxes(x, y)}${lines.join("")}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>CPU time against size, both logarithmic</title>
<style>
  svg { background: #fff; color: #222; font: 11px system-ui, sans-serif; }
  text { fill: currentColor; } .title { font-weight: 600; }
  .grid { stroke: currentColor; stroke-opacity: 0.15; } polyline { fill: none; stroke-width: 1.6; }
  @media (prefers-color-scheme: dark) { svg { background: #111; color: #eee; } }
</style>
${[...legend, ...charts].join("\n")}
</svg>
`;
}

/** Returns the exponents of two powers of ten: the values lie between them. */
const decadesOf = (values: readonly number[]): Range => ({
  from: Math.floor(Math.log10(Math.min(...values))),
  to: Math.max(
    Math.ceil(Math.log10(Math.max(...values))),
    Math.floor(Math.log10(Math.min(...values))) + 1,
  ),
});

const xOf = (decade: number, { from, to }: Range): number =>
  MARGIN + ((decade - from) / (to - from)) * (WIDTH - MARGIN - 14);
const yOf = (decade: number, { from, to }: Range): number =>
  HEIGHT - 26 - ((decade - from) / (to - from)) * (HEIGHT - 26 - 22);

function drawAxes(x: Range, y: Range): string {
  const vertical = ticksOf(x).map((decade) => {
    const at = xOf(decade, x).toFixed(1);
    return `<line class="grid" x1="${at}" x2="${at}" y1="${yOf(y.from, y)}" y2="${yOf(y.to, y)}"/><text x="${at}" y="${HEIGHT - 10}" text-anchor="middle">${short(decade)}</text>`;
  });
  const horizontal = ticksOf(y).map((decade) => {
    const at = yOf(decade, y);
    return `<line class="grid" x1="${xOf(x.from, x)}" x2="${xOf(x.to, x)}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}"/><text x="${MARGIN - 5}" y="${(at + 4).toFixed(1)}" text-anchor="end">${duration(decade)}</text>`;
  });
  return [...vertical, ...horizontal].join("");
}

function drawLine({ points }: Curve, color: string, x: Range, y: Range): string {
  const places = points.map(
    ({ size, cpuMs }) =>
      `${xOf(Math.log10(size), x).toFixed(1)},${yOf(Math.log10(cpuMs), y).toFixed(1)}`,
  );
  return `<polyline points="${places.join(" ")}" style="stroke:${color}"/>`;
}

const ticksOf = ({ from, to }: Range): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Returns a power of ten as text: `1`, `100`, `10k`, `1M`. */
export const short = (decade: number): string =>
  `${10 ** (decade % 3)}${["", "k", "M"][Math.floor(decade / 3)] ?? `e${decade}`}`;

/** Returns a power of ten in milliseconds as text: `10 us`, `1 ms`, `100 s`. */
const duration = (decadeOfMs: number): string =>
  decadeOfMs < 0
    ? `${10 ** (decadeOfMs + 3)} us`
    : decadeOfMs < 3
      ? `${10 ** decadeOfMs} ms`
      : `${10 ** (decadeOfMs - 3)} s`;
