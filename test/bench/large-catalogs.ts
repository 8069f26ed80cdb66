import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPreset } from "../../src/platform/assets.ts";
import { deskbell, EXIT_DIFFERENCES, type Usage, withOnePriceChanged } from "./catalog.ts";
import type { Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BUSINESSES = 500;
const SIZES = [10_000, 100_000] as const;

/** Measures whole commands on many businesses, and on catalogs of two sizes. */
export async function benchLargeCatalogs(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  return [benchFolder(processes.dir), ...benchSizes(processes.dir)];
}

/** Measures `catalog apply` of a folder with a file for each new business. */
function benchFolder(dir: string): Figure {
  const folder = join(dir, "locations");
  mkdirSync(folder);
  const salon = readPreset("salon");
  for (let i = 0; i < BUSINESSES; i++)
    writeFileSync(
      join(folder, `salon-${i}.yaml`),
      salon.replace(/^ {2}slug: .*/m, `  slug: salon-${i}`),
    );
  const startedAt = performance.now();
  const usage = deskbell(["catalog", "apply", folder, "--data-dir", join(dir, "folder")]);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    id: "catalogs",
    description: `apply a folder of ${BUSINESSES} businesses`,
    ours: `${seconds.toFixed(1)} s, ${(usage.cpuMs / BUSINESSES).toFixed(1)} ms CPU per business, ${Math.round(usage.rssMb)} MB`,
    peer: null,
    ratio: null,
    goal: "<= 10 s",
  };
}

/** Measures commands on a small and a large catalog. The ratio is that of their CPU times. */
function benchSizes(dir: string): Figure[] {
  const [small, large] = SIZES.map((size) => measureSize(dir, size)) as [Measured, Measured];
  return Object.keys(large).map((name) => {
    const [before, after] = [small[name], large[name]] as [Usage, Usage];
    return {
      id: "catalogs",
      description: `${name}, 100,000 objects against 10,000`,
      ours: shown(after),
      peer: shown(before),
      ratio: after.cpuMs / before.cpuMs,
      goal: "<= 12, <= 600 MB",
    };
  });
}

type Measured = Record<string, Usage>;

function measureSize(dir: string, size: number): Measured {
  const at = (name: string) => join(dir, `${size}-${name}`);
  const [file, edited] = [at("catalog.yaml"), at("edited.yaml")];
  const data = ["--data-dir", at("data")];
  deskbell(["seed", "--generate", `${size}`, "--random-seed", "42", "--data-dir", at("seeded")]);
  deskbell(["catalog", "export", "--out", file, "--data-dir", at("seeded")]);
  writeFileSync(edited, withOnePriceChanged(readFileSync(file, "utf8")));
  return {
    "apply a new catalog": deskbell(["catalog", "apply", file, ...data]),
    "diff without changes": deskbell(["catalog", "diff", file, ...data]),
    "diff with one change": deskbell(["catalog", "diff", edited, ...data], EXIT_DIFFERENCES),
    "apply one change": deskbell(["catalog", "apply", edited, ...data]),
  };
}

const shown = ({ cpuMs, rssMb }: Usage): string =>
  `${(cpuMs / 1000).toFixed(1)} s CPU, ${Math.round(rssMb)} MB`;
