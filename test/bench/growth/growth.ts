import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { BenchProcesses } from "../processes.ts";
import { type Curve, describeGrowth, slopeOf } from "./curves.ts";
import { BASE, type Dimension, DIMENSIONS, type Size, storeData } from "./data.ts";
import { measure, type Operation, OPERATIONS } from "./operations.ts";
import { drawCharts, short } from "./plot.ts";

/** Rounds per operation. The fastest counts: other programs can only make an operation slower. */
const ROUNDS = 3;

type Selection = { operations: Operation[]; dimensions: Dimension[]; max: number };

/**
 * Prints the CPU time of each operation against the size of the data, one dimension after the
 * other, and writes the curves to an SVG file.
 */
export async function benchGrowth(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string", multiple: true },
      max: { type: "string" },
      out: { type: "string" },
    },
  });
  const out = values.out ?? join(mkdtempSync(join(tmpdir(), "deskbell-growth-")), "curves.svg");
  const curves = await measureCurves({
    ...selectNames(values.only ?? []),
    max: Number(values.max ?? Infinity),
  });
  printTable(curves);
  writeFileSync(out, drawCharts(curves));
  console.log(`\nThe curves are in ${out}.`);
}

function selectNames(names: string[]): Pick<Selection, "operations" | "dimensions"> {
  const dimensionNames = Object.keys(DIMENSIONS) as Dimension[];
  const operations = OPERATIONS.filter((name) => names.includes(name));
  const dimensions = dimensionNames.filter((name) => names.includes(name));
  const known: string[] = [...OPERATIONS, ...dimensionNames];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(
      `error: Unknown name '${unknown.join("', '")}'.\nfix: choose from ${known.join(", ")}`,
    );
    process.exit(2);
  }
  return {
    operations: operations.length > 0 ? operations : [...OPERATIONS],
    dimensions: dimensions.length > 0 ? dimensions : dimensionNames,
  };
}

async function measureCurves({ operations, dimensions, max }: Selection): Promise<Curve[]> {
  // The first measurement only warms up the code.
  await measureSize(BASE, operations);
  const curves: Curve[] = [];
  for (const dimension of dimensions) {
    const ofDimension = operations.map((operation): Curve => ({
      operation,
      dimension,
      points: [],
    }));
    for (const size of DIMENSIONS[dimension].filter((size) => size <= max)) {
      const costs = await measureSize({ ...BASE, [dimension]: size }, operations);
      ofDimension.forEach(({ points }, i) => points.push({ size, cpuMs: costs[i] ?? Number.NaN }));
    }
    curves.push(...ofDimension);
  }
  return curves;
}

async function measureSize(size: Size, operations: readonly Operation[]): Promise<number[]> {
  const startedAt = performance.now();
  await using processes = new BenchProcesses();
  const rt = openRuntime(readConfig({ dataDir: join(processes.dir, "data") }, {}), 5000);
  const targets = await storeData(rt, size);
  const found = operations.map((operation) => ({ operation, cpuMs: Infinity, next: 0 }));
  for (let round = 0; round < ROUNDS; round++)
    for (const one of found) {
      const { cpuMs, next } = await measure(one.operation, rt, size, targets, one.next);
      Object.assign(one, { cpuMs: Math.min(one.cpuMs, cpuMs), next });
    }
  rt.close();
  console.error(
    `${JSON.stringify(size)}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  return found.map(({ cpuMs }) => cpuMs);
}

function printTable(curves: readonly Curve[]): void {
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))];
  sizes.sort((a, b) => a - b);
  const titles = sizes.map((size) => short(Math.round(Math.log10(size))));
  console.log(`\nCPU time in ms\n\n| operation | by | ${titles.join(" | ")} | slope | growth |`);
  console.log(`|${"---|".repeat(sizes.length + 4)}`);
  for (const curve of curves.toSorted((a, b) => orderOf(a) - orderOf(b))) {
    const { operation, dimension, points } = curve;
    const costs = sizes.map((size) => points.find((point) => point.size === size)?.cpuMs);
    const cells = costs.map((ms) => (ms === undefined ? "" : ms.toPrecision(2)));
    const slope = slopeOf(points).toFixed(2);
    console.log(
      `| ${[operation, dimension, ...cells, slope, describeGrowth(curve)].join(" | ")} |`,
    );
  }
}

const orderOf = ({ operation }: Curve): number => OPERATIONS.indexOf(operation);
