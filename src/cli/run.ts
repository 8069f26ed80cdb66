import { EXIT, explainFailure, wantsJson } from "./failure.ts";
import { type Io, widthOf } from "./io.ts";
import { rootHelp } from "./root-help.ts";
import { existsSync, realpathSync } from "node:fs";
import { basename, relative, resolve } from "node:path";

/** Runs a command line and returns its exit code; errors are printed on stderr. */
export async function run(program: string, args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  if (args.length === 1 && (args[0] === "--help" || args[0] === "-h")) {
    io.stdout.write(rootHelp(program, widthOf(io.stdout)));
    return exitCode;
  }
  try {
    const { createProgram } = await import("./program.ts");
    const root = await createProgram(program, io, args, (code) => void (exitCode = code));
    await root.parseAsync([...args], { from: "user" });
  } catch (error) {
    const failure = explainFailure(error, program, wantsJson(args));
    io.stderr.write(failure.text);
    return failure.exitCode;
  }
  return exitCode;
}

/**
 * Returns the command that starts this program, for hints that can be pasted: in a checkout,
 * `deskbell` is not on PATH.
 * @param script process.argv[1], in which symbolic links are not resolved
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
