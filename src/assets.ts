import { readdirSync, readFileSync } from "node:fs";
import { getAssetKeys, getRawAsset, isSea } from "node:sea";

// The one place that knows where files are. They are named by their path from the package's root, above which src/assets.ts
// and dist/*.js both lie by one level; the executable holds them in itself under the same names.

const ROOT = new URL("../", import.meta.url);
const RUNS_FROM_SOURCE = import.meta.url.endsWith(".ts");
export const IS_EXECUTABLE = isSea();

/** The bytes of a file that deskbell ships; not to be written to. */
export const readAsset = (name: string): Buffer =>
  IS_EXECUTABLE ? Buffer.from(getRawAsset(name)) : readFileSync(new URL(name, ROOT));

const readText = (name: string): string => readAsset(name).toString();

/** The names of what lies in a folder, which ends with a slash. */
const listAssets = (folder: string): string[] =>
  IS_EXECUTABLE
    ? getAssetKeys().filter((name) => name.startsWith(folder))
    : readdirSync(new URL(folder, ROOT)).map((name) => `${folder}${name}`);

/** The migrations' SQL in the order of their numbers. */
export const readMigrations = (): string[] =>
  listAssets("src/store/migrations/")
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map(readText);

/** What the delivery worker's thread runs: source under vitest, else the bundle, whose code the executable has as text. */
export const deliveryThread = (): URL | string => {
  if (IS_EXECUTABLE) return readText("dist/delivery.js");
  return new URL(RUNS_FROM_SOURCE ? "src/delivery/thread.ts" : "dist/delivery.js", ROOT);
};

/** A business that deskbell ships: its name and its file's text. */
export const PRESETS = ["restaurant", "salon", "venue"] as const;
export type Preset = (typeof PRESETS)[number];

export const readPreset = (preset: Preset): string => readText(`data/${preset}.yaml`);

/** What makes a shell ask for completions. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export const readCompletion = (shell: (typeof SHELLS)[number]): string =>
  readText(`data/completion.${shell}`);

/** The catalog file to begin with. */
export const readStarter = (): string => readText("data/starter.yaml");

/** The partner guide of /docs, in Markdown. */
export const readPartnerGuide = (): string => readText("data/partner-guide.md");

/** The partner guide as HTML, rendered when deskbell was built. */
export const readGuideHtml = (): string => readText("dist/docs/guide.html");

/** The script of the interactive reference, compressed when deskbell was built. */
export const readScalar = (encoding: "br" | "gz"): Buffer =>
  readAsset(`dist/docs/scalar.js.${encoding}`);

export const readVersion = (): string =>
  (JSON.parse(readText("package.json")) as { version: string }).version;

/** How deskbell introduces itself to receivers. */
export const userAgent = (): string => `deskbell/${readVersion()} (+https://deskbell.dev)`;
