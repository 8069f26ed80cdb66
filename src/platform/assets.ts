import { readdirSync, readFileSync } from "node:fs";
import { getAssetKeys, getRawAsset, isSea } from "node:sea";
import { lazy } from "../domain/lazy.ts";

// No other file of the program knows where the shipped files are. An asset is named by its path
// from the package root, even in the executable.

const RUNS_FROM_SOURCE = import.meta.url.endsWith(".ts");
const ROOT = new URL(RUNS_FROM_SOURCE ? "../../" : "../", import.meta.url);
export const IS_EXECUTABLE = isSea();

/** Returns the bytes of a shipped file. Do not modify them. */
export const readAsset = (name: string): Buffer =>
  IS_EXECUTABLE ? Buffer.from(getRawAsset(name)) : readFileSync(new URL(name, ROOT));

const readText = (name: string): string => readAsset(name).toString();

/** @param folder a path that ends with a slash */
const listAssets = (folder: string): string[] =>
  IS_EXECUTABLE
    ? getAssetKeys().filter((name) => name.startsWith(folder))
    : readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" }).map(
        (name) => folder + name.replaceAll("\\", "/"),
      );

const listMigrations = (): string[] =>
  listAssets("src/store/migrations/").filter((name) => name.endsWith(".sql"));

/** Returns the number of the newest schema. */
export const countMigrations = (): number => listMigrations().length;

/** Returns the SQL of the migrations, in order of their numbers. */
export const readMigrations = (): string[] => listMigrations().sort().map(readText);

/** `entries` has the rows of SQLite's table `sqlite_schema` as JSON. */
type BuiltSchema = { version: number; entries: string[] };

/**
 * Returns the schema after the last migration. The build writes the file with the schema, so the
 * result is undefined if the program runs from source.
 */
export const readBuiltSchema = (): BuiltSchema | undefined =>
  RUNS_FROM_SOURCE ? undefined : (JSON.parse(readText("dist/schema.json")) as BuiltSchema);

/**
 * Returns the script of a thread: in the executable, the text of the bundle; otherwise, the URL of
 * the bundle, or the URL of the source under vitest. The thread of a feature is in the feature's
 * thread.ts.
 */
const threadScript = (name: string, source: string): URL | string => {
  if (IS_EXECUTABLE) return readText(`dist/${name}.js`);
  return new URL(RUNS_FROM_SOURCE ? source : `dist/${name}.js`, ROOT);
};

export const deliveryThread = () => threadScript("delivery", "src/delivery/thread.ts");
export const featureThread = (feature: string) =>
  threadScript(feature, `src/features/${feature}/thread.ts`);

export const PRESETS = ["restaurant", "salon", "venue"] as const;
export type Preset = (typeof PRESETS)[number];

export const readPreset = (preset: Preset): string => readText(`data/${preset}.yaml`);

export const readSampleWords = (): string => readText("data/sample-words.json");

/** Returns the catalog file that `deskbell init` writes. */
export const readStarter = (): string => readText("data/starter.yaml");

/** The topics of `deskbell guide`, in reading order, and what each guide is about. */
export const GUIDES: Readonly<Record<string, string>> = {
  "first-hour": "From nothing to a partner that reads your catalog.",
  "editing-the-catalog": "Change prices, services, hours and menus, and undo a change.",
  "partners-and-keys": "Create, limit, rotate and revoke API keys.",
  "visits-and-guests": "See the day, move and cancel visits, erase guests.",
  desk: "Give the people in the shop a page of the day on their phones.",
  "public-page":
    "Show guests a page with your menu, services, hours and events, and let them book.",
  "taking-bookings": "Let a website show free times and book them.",
  agents: "Let agents such as Claude ask, find a time and book.",
  mirror: "Keep a copy of a catalog up to date (for partners).",
  "failing-webhooks": "Find out why deliveries fail, and repair them.",
  "backups-and-restore": "Keep copies off this disk, and restore one.",
  alerts: "Hear of problems by chat or mail.",
  "behind-a-proxy": "Run behind nginx or Caddy.",
  install: "Choose a download; run as a service, in a container, on Windows or macOS.",
  upgrading: "Upgrade to a new version, and roll back.",
  "more-than-one-machine": "The limits of one server, and the steps beyond.",
};

/** Matches a command that only the test of the guides runs. */
const TEST_LINE = /^<!-- test: .* -->\n\n/gm;

/** @param topic one of GUIDES */
export const readGuide = (topic: string): string =>
  readText(`data/guides/${topic}.md`).replaceAll(TEST_LINE, "");

const DOCS = "dist/docs/";

/** Returns the names of the files for /docs, which the build writes. */
export const listDocs = (): string[] =>
  listAssets(DOCS)
    .filter((name) => /\.\w+$/.test(name)) // A folder has no extension.
    .map((name) => name.slice(DOCS.length));

export const readDoc = (name: string): Buffer => readAsset(DOCS + name);

/** Returns a script or style of the pages below /b/, such as `desk.js`, which the build writes. */
export const readPageFile = (name: string): Buffer => readAsset(`dist/pages/${name}`);

/**
 * Returns the OpenAPI document that the build writes. The document is for a server without a public
 * URL.
 */
export const readOpenApi = (): string => readText("dist/openapi.json");

export const readVersion = lazy(
  (): string => (JSON.parse(readText("package.json")) as { version: string }).version,
);

export const userAgent = (): string => `deskbell/${readVersion()} (+https://deskbell.dev)`;
