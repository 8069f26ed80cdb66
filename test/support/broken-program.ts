import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Program } from "./program.ts";

/** A bug: `find` in a source file is replaced. */
export type SourceBug = { file: string; find: string; replace: string };

const ROOT = new URL("../../", import.meta.url);

/**
 * Returns the program with a bug, for negative controls. It runs from its source, with Node, and
 * the bug is inserted when the file is loaded, in every thread.
 */
export function breakProgram({ file, find, replace }: SourceBug): Program {
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
  return {
    command: [
      process.execPath,
      `--import=data:text/javascript,${encodeURIComponent(hook)}`,
      fileURLToPath(new URL("src/cli/main.ts", ROOT)),
    ],
    isStandalone: false,
  };
}
