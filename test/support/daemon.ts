import { join } from "node:path";
import { expect } from "vitest";
import { execute, type Started, start, temporaryFolder } from "./cli.ts";
import { PROGRAM } from "./program.ts";

/** The daemon as a process of its own, on any free port, logging JSON. */
export const serve = (dataDir: string, ...more: string[]): Started =>
  start(["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir, ...more]);

export const urlOf = async (daemon: Started): Promise<string> =>
  (await daemon.sees(/"serving","url":"([^"]+)"/))[1] ?? "";

/** A data folder with the salon in it, and the terminal on it: a command line gives what it printed on stdout. */
export async function seededBox(
  program = PROGRAM,
): Promise<{ dataDir: string; deskbell: (...args: string[]) => Promise<string> }> {
  const dataDir = join(temporaryFolder(), "data");
  const deskbell = async (...args: string[]): Promise<string> => {
    const ran = await execute([...args, "--data-dir", dataDir], { program });
    expect(ran).toMatchObject({ code: 0 });
    return ran.stdout.trim();
  };
  await deskbell("seed", "salon");
  return { dataDir, deskbell };
}
