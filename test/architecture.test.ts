import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";
import { FEATURES } from "../src/features/index.ts";

const SRC = resolve(import.meta.dirname, "../src");

type Source = { path: string; text: string; imports: string[] };

/** The sources, without those that the build generates. */
const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith("client/generated/"))
  .map((path) => {
    const text = readFileSync(join(SRC, path), "utf8");
    const found = text.matchAll(
      /^(?:import|export|\}).* from "([^"]+)";|\bimport\("([^"]+)"\)|^import "([^"]+)"/gm,
    );
    const imports = [...found].map(
      (match) => match.slice(1).find((target) => target !== undefined) ?? "",
    );
    return { path, text, imports };
  });

const layerOf = (path: string): string =>
  path.includes("/") ? (path.split("/")[0] ?? "") : "config";

/** The layers below all others. The layer config is not a folder, but the files src/config*.ts. */
const BASE = ["domain", "platform", "config"];

/** The layers that each layer may import. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: [],
  // Files of the platform need the cache folders and the maximum size of a file with a secret,
  // which are part of the configuration.
  platform: ["domain", "config"],
  config: ["domain", "platform"],
  store: BASE,
  app: [...BASE, "store"],
  // Code that pages share also runs in browsers.
  pages: ["domain"],
  http: [...BASE, "store", "app", "pages"],
  delivery: [...BASE, "store", "app"],
  cli: [...BASE, "store", "app", "http", "delivery"],
  // Partners install the client without the program.
  client: [],
  features: [...BASE, "store", "app", "http", "delivery", "cli", "pages", "client"],
};

/** The list of features, which every layer may read because it is data. */
const FEATURE_LIST = "features/index.ts";

/** The files through which the core reaches features. */
const FEATURE_LISTS = [
  FEATURE_LIST,
  "features/before-catalog-write.ts",
  "features/before-migration.ts",
  "features/before-write.ts",
  "features/on-guest-news.ts",
  "features/on-key-rotation.ts",
  "features/on-removal.ts",
];

/**
 * The files of a feature, in the order in which they may import each other. Each entry lists the
 * layers of the core that the file may import. The empty name stands for all other files, which
 * contain the use cases.
 */
const FEATURE_FILES: [name: string, mayImport: string[]][] = [
  ["rules.ts", ["domain"]],
  ["browser.ts", ["domain", "pages", "client"]],
  ["store.ts", [...BASE, "store"]],
  ["", [...BASE, "store", "app", "http", "delivery", "pages"]],
  ["conditions.ts", [...BASE, "store", "app"]],
  ["routes.ts", [...BASE, "store", "app", "http"]],
  ["thread.ts", [...BASE, "store", "app", "http", "delivery"]],
  ["commands.ts", [...BASE, "store", "app", "http", "delivery", "cli"]],
  ["feature.ts", []],
];
const OTHER_FILES = FEATURE_FILES.findIndex(([name]) => name === "");

/**
 * Returns the index of a file's entry in `FEATURE_FILES`. Files in a folder have the entry of the
 * file with the folder's name: `commands/` that of `commands.ts`, and `browser/`, whose files run
 * in browsers, that of `browser.ts`.
 */
function rankOf(path: string): number {
  const [, , part = ""] = path.split("/");
  const file = part.endsWith(".ts") ? part : `${part}.ts`;
  const rank = FEATURE_FILES.findIndex(([name]) => name === file);
  return rank === -1 ? OTHER_FILES : rank;
}

/** Returns the folder of the feature to which a file belongs, such as `features/calendars`. */
const featureOf = (path: string): string => path.split("/").slice(0, 2).join("/");

const usesOf = (path: string): string[] =>
  FEATURES.filter(({ name }) => `features/${name}` === featureOf(path)).flatMap(({ uses = [] }) =>
    uses.map((name) => `features/${name}`),
  );

/**
 * Returns whether the target of an import is a JSON file in data/. Any file may import it, but only
 * to derive types. `assets.ts` reads the content.
 */
const isData = (target: string): boolean => /\/data\/[\w-]+\.json$/.test(target);

const targetsOf = ({ path, imports }: Source): string[] =>
  imports
    .filter((target) => target.startsWith(".") && !isData(target))
    .map((target) => relative(SRC, resolve(SRC, dirname(path), target)));

/**
 * Packages without I/O that the domain may import; `node:util` has the table of the system's error
 * messages.
 */
const PURE_PACKAGES = [
  "zod",
  "js-yaml",
  "csv-parse",
  "csv-parse/sync",
  "ipaddr.js",
  "fastest-levenshtein",
  "node:crypto",
  "node:util",
  "node:zlib",
];

const violations = (find: (source: Source) => string[]): string[] =>
  sources.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));

test("no folder except the migrations has more than 20 source files", () => {
  const folders = Map.groupBy(sources, ({ path }) => dirname(path));
  folders.delete("store/migrations");
  const found = [...folders].filter(([, files]) => files.length > 20);
  expect(folders.size).toBeGreaterThan(50);
  expect(found.map(([folder, files]) => `${folder}: ${files.length} sources`)).toEqual([]);
});

test("each layer imports only the layers below it", () => {
  const found = violations((source) => {
    const layer = layerOf(source.path);
    return targetsOf(source).filter(
      (target) =>
        !FEATURE_LISTS.includes(target) &&
        layerOf(target) !== layer &&
        !MAY_IMPORT[layer]?.includes(layerOf(target)),
    );
  });
  expect(found).toEqual([]);
});

/** The files whose import may close a circle, each with its reason. */
const MAY_CLOSE_CIRCLES: readonly string[] = [
  // Every layer reads this list, which loads the code of a feature only when it is used.
  "features/index.ts",
];

test("files do not import each other in a circle, not even for types or in a dynamic import", () => {
  const graph = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports
        .filter((target) => target.startsWith("."))
        .map((target) => join(dirname(path), target))
        .filter((target) => !MAY_CLOSE_CIRCLES.includes(target)),
    ]),
  );
  expect([...graph.values()].flat().length).toBeGreaterThan(2000);
  expect(findCycles(graph)).toEqual([]);
});

test("findCycles returns each circle of imports as the path through its files", () => {
  const graph = new Map([
    ["a", ["b", "c"]],
    ["b", ["c"]],
    ["c", ["d", "b"]],
  ]);
  expect(findCycles(graph)).toEqual(["b -> c -> b"]);
});

/**
 * Returns the paths of imports from a file back to itself, such as `b -> c -> b`. The result has at
 * least one path for each circle.
 */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path].join(" -> "));
    if (start >= 0 || visited.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...way, path]);
    visited.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

test("the core imports features only through the lists of features", () => {
  const found = violations((source) =>
    layerOf(source.path) === "features"
      ? []
      : targetsOf(source).filter(
          (target) => layerOf(target) === "features" && !FEATURE_LISTS.includes(target),
        ),
  );
  expect(found).toEqual([]);
});

test("each file of a feature imports only what its place in FEATURE_FILES allows", () => {
  const found = violations((source) => {
    const { path } = source;
    if (layerOf(path) !== "features" || path.split("/").length < 3) return [];
    const [, mayImport = []] = FEATURE_FILES[rankOf(path)] ?? [];
    return targetsOf(source).filter((target) => {
      // The definition of a feature in its `feature.ts` may import all files of the feature. Every
      // file may import the type of a definition from `features/feature.ts`.
      if (target === "features/feature.ts" || basename(path) === "feature.ts") return false;
      if (layerOf(target) !== "features") return !mayImport.includes(layerOf(target));
      const isUsed = usesOf(path).includes(featureOf(target));
      return (featureOf(target) !== featureOf(path) && !isUsed) || rankOf(target) > rankOf(path);
    });
  });
  expect(found).toEqual([]);
});

test("the list of features imports only feature definitions, which statically import nothing but types", () => {
  const index = sources.find(({ path }) => path === FEATURE_LIST);
  expect(index?.imports.every((target) => /^\.\/(?:[\w-]+\/)?feature\.ts$/.test(target))).toBe(
    true,
  );
  const found = violations(({ path, text }) =>
    /^features\/(?:[\w-]+\/)?feature\.ts$/.test(path)
      ? (text.match(/^import (?!type ).*/gm) ?? [])
      : [],
  );
  expect(found).toEqual([]);
});

test("pages leave HTML to the renderer, which escapes all text", () => {
  const found = violations(
    ({ text }) => text.match(/dangerouslySetInnerHTML|\.innerHTML\b/g) ?? [],
  );
  expect(found).toEqual([]);
});

test("the client imports nothing but its own files, because it has no dependencies", () => {
  const found = violations(({ path, imports }) =>
    layerOf(path) === "client" ? imports.filter((target) => !target.startsWith("./")) : [],
  );
  expect(found).toEqual([]);
  expect(sources.filter(({ path }) => layerOf(path) === "client").length).toBeGreaterThan(5);
});

test("the client uses only what browsers, Workers and every server runtime have", () => {
  const found = violations(({ path, text }) =>
    layerOf(path) === "client"
      ? (text.match(
          /\b(?:process|Buffer|document|window|require|Deno|Bun|__dirname)(?:\.\w|\()/g,
        ) ?? [])
      : [],
  );
  expect(found).toEqual([]);
});

test("the store parses JSON only with the function that reports damaged data", () => {
  const found = violations(({ path, text }) =>
    layerOf(path) === "store" && path !== "store/database/storage-error.ts"
      ? (text.match(/JSON\.parse\(/g) ?? [])
      : [],
  );
  expect(found).toEqual([]);
});

test("the domain imports only pure packages", () => {
  const found = violations(({ path, imports }) =>
    layerOf(path) === "domain"
      ? imports.filter((target) => !target.startsWith(".") && !PURE_PACKAGES.includes(target))
      : [],
  );
  expect(found).toEqual([]);
});

test("the runtime and the configuration alone read the clock, randomness and the environment", () => {
  const allowed = ["app/runtime.ts", "config.ts", "pages/browser/clock.ts"];
  // The layer `client` is exempt, because its code runs in the programs of partners.
  const found = violations(({ path, text }) =>
    allowed.includes(path) || layerOf(path) === "client"
      ? []
      : (text.match(
          /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.env\b|\bperformance\.now\b|\bTemporal\.Now\b/g,
        ) ?? []),
  );
  expect(found).toEqual([]);
});

test("the store and the stores of features alone contain SQL", () => {
  const found = violations(({ path, text }) =>
    layerOf(path) === "store" || /^features\/[\w-]+\/store(?:\.ts$|\/)/.test(path)
      ? []
      : (text.match(/\.prepare\(|\.pragma\(|\.exec\("|\bINSERT INTO\b|\bSELECT .* FROM\b/g) ?? []),
  );
  expect(found).toEqual([]);
});

test("commands and handlers leave transactions to use cases", () => {
  const found = violations(({ path, text }) =>
    /^(?:cli\/(?!running\/)|http\/handlers\/)/.test(path) ? (text.match(/\.tx\(/g) ?? []) : [],
  );
  expect(found).toEqual([]);
});

test("use cases alone plan a visit, so that the API and the commands book by the same rules", () => {
  const found = violations(({ path, text }) =>
    layerOf(path) === "app" ? [] : (text.match(/\bplan(?:Booking|Reservation)\(/g) ?? []),
  );
  expect(found).toEqual([]);
});

/** Returns the files and packages that are loaded with a file, before any code is called. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    if (!path.endsWith(".ts")) continue;
    const text = readFileSync(join(SRC, path), "utf8");
    for (const [, target = ""] of text.matchAll(
      /^(?:(?:import|export)(?! type)|\}).* from "([^"]+)";/gm,
    ))
      loaded.add(target.startsWith(".") ? join(dirname(path), target) : target);
  }
  return loaded;
}

test("the delivery thread does not load zod, which costs memory and start time", () => {
  const parts = /^features\/[\w-]+\/(?:conditions|schedule)\.ts$/;
  const entries = sources.map(({ path }) => path).filter((path) => parts.test(path));
  const loaded = ["delivery/thread.ts", ...entries].flatMap((entry) => [...loadedWith(entry)]);
  expect(loaded).not.toContain("zod");
  expect(loaded.length).toBeGreaterThan(50);
});

test.each(["cli/main.ts", "cli/program.ts", "cli/commands/serve.ts", "cli/running/daemon.ts"])(
  "%s does not load the parsers of YAML and CSV, which cost start time",
  (entry) => {
    const loaded = loadedWith(entry);
    for (const parser of ["js-yaml", "csv-parse", "csv-parse/sync"])
      expect(loaded).not.toContain(parser);
    expect(loaded.size).toBeGreaterThan(20);
  },
);

test("the start of the program loads no feature before the compile cache is enabled", () => {
  const loaded = [...loadedWith("platform/compile-cache.ts")];
  expect(loaded.filter((path) => layerOf(path) === "features")).toEqual([]);
  expect(loaded).toContain("config.ts");
});

test("parsing the command line does not load the code that opens the data", () => {
  const loaded = loadedWith("cli/program.ts");
  expect(loaded).not.toContain("app/runtime.ts");
  expect(loaded).not.toContain("store/database/database.ts");
  expect(loaded).toContain("cli/cli.ts");
});

test("the HTTP server compresses nothing synchronously, which would delay other requests", () => {
  const found = violations(({ path, text }) =>
    layerOf(path) === "http" ? (text.match(/\b(?:gzip|deflate|\w+Compress)\w*Sync\b/g) ?? []) : [],
  );
  expect(found).toEqual([]);
});

type SyntaxNode = { type: string; start: number; end: number };

const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Returns a syntax node with all nodes below it. */
const nodesIn = (node: SyntaxNode): SyntaxNode[] => [
  node,
  ...Object.values<unknown>(node).flat().filter(isSyntaxNode).flatMap(nodesIn),
];

/**
 * The maximum lines of functions and classes. A larger closure becomes a class with private fields,
 * or is split.
 */
const MAX_LINES = [
  { kind: /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/, max: 120 },
  { kind: /^Class(?:Declaration|Expression)$/, max: 150 },
];

test("no function has more than 120 lines besides its comments, and no class more than 150", () => {
  const found = violations(({ path, text }) =>
    nodesIn(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" })).flatMap((node) => {
      const lines = text
        .slice(node.start, node.end)
        .split("\n")
        .filter((line) => !/^\s*(?:\/\/|\/\*\*|\*)/.test(line));
      const isLong = MAX_LINES.some(({ kind, max }) => kind.test(node.type) && lines.length > max);
      return isLong ? [`${lines[0]} (${lines.length} lines)`] : [];
    }),
  );
  expect(found).toEqual([]);
});

/** Tests of the whole program or the repository, which mirror no source. */
const OF_NO_SOURCE = [
  /^(?:e2e|proofs|bench|release|support)\//,
  // The tests of these four files read the whole repository, or its pages.
  /^(?:architecture|comments|named-paths|security-policy)\.test\.ts$/,
];

/**
 * Returns the sources that a test may mirror: the source with the test's name, or with the name of
 * the test's folder.
 */
const mirroredBy = (path: string): string[] => [path.replace(/\.test\.tsx?$/, ""), dirname(path)];

test("each test file has the name of its source, or lies in a folder with that name", () => {
  const known = new Set(sources.map(({ path }) => path.replace(/\.tsx?$/, "")));
  const tests = globSync("**/*.test.{ts,tsx}", { cwd: import.meta.dirname });
  const found = tests.filter(
    (path) =>
      !OF_NO_SOURCE.some((pattern) => pattern.test(path)) &&
      !mirroredBy(path).some((source) => known.has(source)),
  );
  expect(tests.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

/**
 * Returns the objects that a text passes to `toMatchObject`, each up to the line that closes the
 * call.
 */
const matchedObjects = (text: string): string[] =>
  [...text.matchAll(/^( *).*toMatchObject\(\{.*\n(?:\1 .*\n)*/gm)].map(([object]) => object);

test("no test passes a regular expression to toMatchObject, which would accept any text", () => {
  const tests = globSync("**/*.ts", { cwd: import.meta.dirname });
  const found = tests.flatMap((path) =>
    matchedObjects(readFileSync(join(import.meta.dirname, path), "utf8"))
      .filter((object) => /(?:^|[{,])\s*\w+: \/(?![/*])/m.test(object))
      .map((object) => `${path}: ${object.trim()}`),
  );
  expect(found).toEqual([]);
});

/** The files and folders at the root besides those whose names begin with a dot. */
const AT_ROOT =
  /^(?:LICENSE|README\.md|bin|data|package-lock\.json|package\.json|src|test|tsconfig\.json|vitest\.config\.ts)$/;

/** Returns the tracked names at the root; undefined where git is missing, as in a package. */
function listAtRoot(): string[] | undefined {
  try {
    const args = ["ls-tree", "--name-only", "HEAD"];
    return execFileSync("git", args, { cwd: dirname(SRC), encoding: "utf8", stdio: "pipe" })
      .split("\n")
      .filter((name) => name !== "");
  } catch {
    return undefined;
  }
}

const atRoot = listAtRoot();

test.skipIf(atRoot === undefined)(
  "the root of the repository has no other files than these",
  () => {
    expect(atRoot?.length).toBeGreaterThan(9);
    expect(atRoot?.filter((name) => !name.startsWith(".") && !AT_ROOT.test(name))).toEqual([]);
  },
);
