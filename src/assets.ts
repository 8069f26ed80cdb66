import { readdirSync, readFileSync } from "node:fs";

// src/assets.ts and dist/*.js both lie one level under the package's root: the one place that knows where files are.
const ROOT = new URL("../", import.meta.url);
const RUNS_FROM_SOURCE = import.meta.url.endsWith(".ts");

/** The migrations' SQL in the order of their numbers. */
export function readMigrations(): string[] {
  const folder = new URL("src/store/migrations/", ROOT);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), "utf8"));
}

/** Where the courier's thread starts: from source under vitest, else from the bundle. */
export const courierThread = (): URL => new URL(RUNS_FROM_SOURCE ? "src/courier/thread.ts" : "dist/courier.js", ROOT);

/** A business that deskbell ships: its name and its file's text. */
export const PRESETS = ["restaurant", "salon", "venue"] as const;
export type Preset = (typeof PRESETS)[number];

export const readPreset = (preset: Preset): string => readFileSync(new URL(`data/${preset}.yaml`, ROOT), "utf8");

/** The catalog file to begin with. */
export const readStarter = (): string => readFileSync(new URL("data/starter.yaml", ROOT), "utf8");

export const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as { version: string }).version;

/** How deskbell introduces itself to receivers. */
export const userAgent = (): string => `deskbell/${readVersion()} (+https://deskbell.dev)`;
