import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import type { BuildOptions, Plugin } from "rolldown";
import type { Feature } from "../src/features/feature.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * Returns the code of a module that loads one of Node's modules when an export is first used. A
 * Node module that is not a plain object is loaded immediately.
 */
function lazyModule(name: string): string {
  const real: unknown = process.getBuiltinModule(name);
  if (typeof real !== "object" || real === null || real === process)
    return `module.exports = process.getBuiltinModule("${name}");`;
  const getters = Object.getOwnPropertyNames(real).map(
    (key) => `get ${key}() { return load().${key}; },`,
  );
  return `let loaded;
const load = () => (loaded ??= process.getBuiltinModule("${name}"));
module.exports = {
${getters.join("\n")}
};`;
}

/**
 * Replaces imports of Node's modules with lazy ones. An `import` evaluates every export: node:http
 * loads an internal undici for its WebSocket, and node:process opens the terminal's streams.
 * Exports that are not used took a third of the start time.
 */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  resolveId: {
    filter: { id: /^[\w:/]+$/ },
    // node:module is not made lazy, because the bundler's own runtime imports it.
    handler: (id) =>
      isBuiltin(id) && id !== "node:module" ? `\0node:${id.replace(/^node:/, "")}` : null,
  },
  load: {
    filter: { id: /^\0node:/ },
    handler: (id) => ({ code: lazyModule(id.slice(1)), moduleType: "js" }),
  },
};

/**
 * Returns a plugin for the bundle of one program. It puts the feature parts in `loaded`, which the
 * program needs at its start, into the bundle, because each separate file takes 0.3 ms to load. The
 * parts in `later` stay separate files, and all other parts are left out.
 */
export const featureParts = (
  loaded: readonly (keyof Feature)[],
  later: readonly (keyof Feature)[] = [],
): Plugin => ({
  name: "feature-parts",
  transform: {
    filter: { id: /\/src\/features\/[\w-]+\/feature\.ts$/ },
    handler(code) {
      const imports: string[] = [];
      const parts = code.replaceAll(
        /\b(\w+): \(\) => import\("([^"]+)"\)/g,
        (entry, part: keyof Feature, file: string) => {
          if (later.includes(part)) return entry;
          if (!loaded.includes(part)) return `${part}: undefined as never`;
          imports.push(`import * as ${part} from "${file}"; `);
          return `${part}: async () => ${part}`;
        },
      );
      // The imports are put on the first line, so that the other lines keep their numbers.
      return { code: imports.join("") + parts, map: null, moduleType: "ts" };
    },
  },
});

/** The parts that the daemon loads at its start. */
export const DAEMON_PARTS = [
  "routes",
  "pages",
  "checks",
  "damage",
  "openSince",
  "metrics",
  "copyTimes",
  "daemon",
  "visits",
] as const;
/** The parts that the delivery thread loads at its start. */
export const DELIVERY_PARTS = ["checks", "damage", "openSince", "schedule", "retention"] as const;

/** Leaves out the schemas and examples of the OpenAPI document, which only the build loads. */
export const withoutOpenApi: Plugin = {
  name: "without-open-api",
  transform: {
    filter: { id: /\/src\/features\/[\w-]+\/feature\.ts$/ },
    handler: (code) => ({
      code: code.replace(/\bopenapi: \(\) => import\("[^"]+"\)/, "openapi: undefined as never"),
      map: null,
      moduleType: "ts",
    }),
  },
};

/** Returns the features that have a thread of their own, with its source. */
export const listFeatureThreads = (): [feature: string, source: string][] =>
  globSync("src/features/*/thread.ts", { cwd: ROOT })
    .toSorted()
    .map((source) => [basename(dirname(source)), source]);

const STYLE = "src/pages/style.css";

/**
 * Returns the builds of the scripts and styles of pages. Each feature with pages has one script and
 * one style. Each script in browser/later is a file of its own, which a page loads when it needs
 * it. The scripts in browser/website run on pages of other websites, so they are built as classic
 * scripts that define no global names.
 */
export const listPageBuilds = (dir: string): BuildOptions[] =>
  globSync("src/features/*/browser/{main.tsx,{later,website}/*.ts}", { cwd: ROOT })
    .toSorted()
    .map((source) => {
      const feature = source.split("/")[2] ?? "";
      const isMain = basename(source) === "main.tsx";
      const isOfWebsite = dirname(source).endsWith("/website");
      const prefix = isOfWebsite ? "" : `${feature}.`;
      const name = isMain ? feature : `${prefix}${basename(source, ".ts")}`;
      const style = pageStyle(feature, `src/features/${feature}/browser/style.css`);
      return {
        cwd: ROOT,
        input: { [name]: source },
        platform: "browser",
        transform: { define, target: "es2022" },
        plugins: isMain ? [noBuiltins, style] : [noBuiltins],
        output: {
          dir,
          format: isOfWebsite ? "iife" : "esm",
          minify: true,
          codeSplitting: false,
          entryFileNames: "[name].js",
        },
      };
    });

/** Rejects Node's modules, which browsers do not have. */
const noBuiltins: Plugin = {
  name: "no-builtins",
  resolveId(id, importer) {
    if (isBuiltin(id)) throw new Error(`${importer} imports ${id}, but runs in browsers.`);
  },
};

/** Writes the style that all pages share and the feature's own style into one file. */
const pageStyle = (feature: string, ownStyle: string): Plugin => ({
  name: "page-style",
  generateBundle() {
    const source = [STYLE, ownStyle].map(readStyle).join("");
    this.emitFile({ type: "asset", fileName: `${feature}.css`, source });
  },
});

/**
 * Reads a style and replaces each `@import` rule with the imported style, so that a browser loads
 * one file.
 */
const readStyle = (path: string): string =>
  readFileSync(join(ROOT, path), "utf8").replaceAll(
    /^@import "([^"]+)";$/gm,
    (_rule, imported: string) => readStyle(join(dirname(path), imported)),
  );

/**
 * Escapes non-ASCII characters: one character beyond Latin-1 doubles the memory of a file in V8.
 */
export const ascii: Plugin = {
  name: "ascii",
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escapeUnit);
  },
};

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

export const define = { "process.env.NODE_ENV": '"production"' };

/**
 * Optional parts of listhen that deskbell does not use: development certificates, boxes and QR
 * codes.
 */
export const alias = { "node-forge": false, consola$: "consola/basic" } as const;
