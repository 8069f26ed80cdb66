import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMutants, type Mutant } from "./find-mutants.ts";

/** A mutant of the sample. Its ID is its position in the sample, counted from 1. */
export type Sampled = Mutant & { id: number };

/** The sources that are mutated: what stores, decides and sends. */
const SOURCES = [
  "src/store/**/*.ts",
  "src/delivery/**/*.ts",
  "src/app/{availability,bookings,catalog,webhooks}/**/*.ts",
  "src/domain/{availability,bookings,public,webhooks}/**/*.ts",
  "src/features/*/*.ts",
  "src/features/{alerts/rules,backups/{copies,handover,restore,store,upkeep},desk/alert-links,nats/publishing}/*.ts",
];

/** Files of features that neither store nor decide anything: declarations, texts, tools. */
const LEFT_OUT = [
  "src/features/*.ts",
  "src/features/{completion,demo,docs,live-view,samples,systemd,webhook-tools}/**",
  "src/features/*/{commands,feature,openapi,pages,paths,routes,texts}.ts",
  "src/features/desk/alert-links/texts.ts",
];

/** Returns the first `count` mutants in an order that the seed decides. */
export function takeSample(
  root: string,
  { seed, count, sources = SOURCES }: { seed: number; count: number; sources?: string[] },
): Sampled[] {
  const files = globSync(sources, { cwd: root, exclude: LEFT_OUT });
  const orderOf = ({ key }: Mutant) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  return files
    .flatMap((file) => findMutants(file, readFileSync(join(root, file), "utf8")))
    .map((mutant) => ({ mutant, order: orderOf(mutant) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }, index) => ({ ...mutant, id: index + 1 }));
}
