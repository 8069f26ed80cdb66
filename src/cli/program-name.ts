import { existsSync, realpathSync } from "node:fs";
import { basename, relative, resolve } from "node:path";

/**
 * How the program was started, for hints that can be typed as they stand: an executable in a checkout is not on PATH.
 * @param script what was started, as it was named: process.argv[1]
 * @param folder the current one
 */
export function programName(script: string, folder: string): string {
  if (basename(script) === "deskbell")
    return script.includes("node_modules/.bin/") ? "npx deskbell" : "deskbell";
  const inCheckout = resolve(folder, "bin/deskbell.js");
  if (existsSync(inCheckout) && realpathSync(inCheckout) === realpathSync(script))
    return "npx deskbell";
  const path = relative(folder, script);
  return path.startsWith("..") ? script : `./${path}`;
}
