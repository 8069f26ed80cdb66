import { existsSync, realpathSync } from "node:fs";
import { basename, relative, resolve } from "node:path";

/**
 * Returns the command that starts this program, for hints that can be pasted: in a checkout,
 * `deskbell` is not on PATH.
 * @param script the script as it was typed: process.argv[1]
 * @param folder the current folder
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
