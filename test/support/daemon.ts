import { join } from "node:path";
import { expect } from "vitest";
import { runProgram, type StartedProgram, startProgram, createTempFolder } from "./cli.ts";
import { PROGRAM } from "./program.ts";

/** The daemon as a process of its own, on any free port, logging JSON. */
export const spawnDaemon = (dataDir: string, ...more: string[]): StartedProgram =>
  startProgram(["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir, ...more]);

export const waitForUrl = async (daemon: StartedProgram): Promise<string> =>
  (await daemon.waitForOutput(/"serving","url":"([^"]+)"/))[1] ?? "";

/** A data folder with the salon in it, and the terminal on it: a command line gives what it printed on stdout. */
export async function createSeededSalon(
  program = PROGRAM,
): Promise<{ dataDir: string; deskbell: (...args: string[]) => Promise<string> }> {
  const dataDir = join(createTempFolder(), "data");
  const deskbell = async (...args: string[]): Promise<string> => {
    const ran = await runProgram([...args, "--data-dir", dataDir], { program });
    expect(ran).toMatchObject({ code: 0 });
    return ran.stdout.trim();
  };
  await deskbell("seed", "salon");
  return { dataDir, deskbell };
}
