import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Program } from "./program.ts";

/** A bug, which replaces `find` in a source file. */
export type SourceBug = { file: string; find: string; replace: string };

const ROOT = new URL("../../", import.meta.url);

/** Compiles the views of pages when they are loaded, because Node runs no JSX. */
const COMPILE_VIEWS = `import { createRequire, registerHooks } from "node:module";
const require = createRequire(${JSON.stringify(import.meta.url)});
registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const { source } = next(url, { ...context, format: "module" });
    const { code } = require("rolldown/utils").transformSync("view.tsx", source.toString());
    return { format: "module", source: code, shortCircuit: true };
  },
});`;

/**
 * Returns the program with bugs, for negative controls. Node runs the program from its source and
 * inserts each bug when its file is loaded, in every thread.
 */
export const breakProgram = (...bugs: SourceBug[]): Program => ({
  command: [
    process.execPath,
    ...bugs.map(insertBug),
    importOf(COMPILE_VIEWS),
    fileURLToPath(new URL("src/cli/main.ts", ROOT)),
  ],
  isStandalone: false,
});

/** Returns the option of Node that inserts a bug. */
function insertBug({ file, find, replace }: SourceBug): string {
  const count = readFileSync(new URL(file, ROOT), "utf8").split(find).length - 1;
  if (count !== 1) throw new Error(`'${find}' occurs ${count} times in ${file}, expected once.`);
  const hook = `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(${JSON.stringify(`/${file}`)})) return loaded;
    const source = loaded.source.toString();
    return { ...loaded, source: source.replace(${JSON.stringify(find)}, () => ${JSON.stringify(replace)}) };
  },
});`;
  return importOf(hook);
}

/** Returns the option of Node that runs code before the program. */
const importOf = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(code)}`;
