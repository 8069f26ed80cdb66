import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, inject } from "vitest";
import {
  createTempFolder,
  createTerminal,
  runProgram,
  type StartedProgram,
  startProgram,
} from "./cli.ts";
import { type Program, PROGRAM } from "./program.ts";
import { SALON } from "./samples.ts";

const serveArgs = (dataDir: string) =>
  ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir] as const;

/** Starts the daemon as a separate process on a free port, with a JSON log. */
export const spawnDaemon = (dataDir: string, ...more: string[]): StartedProgram =>
  startProgram([...serveArgs(dataDir), ...more]);

/** Starts the daemon of another program, such as one with a bug. */
export const spawnDaemonOf = (
  program: Program,
  dataDir: string,
  ...more: string[]
): StartedProgram => startProgram([...serveArgs(dataDir), ...more], { program });

export const waitForUrl = async (daemon: StartedProgram, ms?: number): Promise<string> =>
  (await daemon.waitForOutput(/"serving","url":"([^"]+)"/, ms))[1] ?? "";

/** Copies a salon that is seeded once for all tests, because seeding takes much longer. */
async function copySalon(dataDir: string): Promise<void> {
  const salon = join(dirname(inject("emptyDatabase")), "salon");
  if (!existsSync(salon)) {
    const draft = mkdtempSync(`${salon}-`);
    expect(await runProgram(["catalog", "apply", SALON, "--data-dir", draft])).toMatchObject({
      code: 0,
    });
    try {
      renameSync(draft, salon);
    } catch (error) {
      // Another worker may have created the folder first.
      if (!existsSync(salon)) throw error;
    }
  }
  cpSync(salon, dataDir, { recursive: true });
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec("UPDATE server SET id = lower(hex(randomblob(8)))");
  db.close();
}

/**
 * Creates a data folder with the sample salon. `deskbell` runs a command on it and returns its
 * output.
 */
export async function createSeededSalon(
  program = PROGRAM,
): Promise<{ dataDir: string; deskbell: (...args: string[]) => Promise<string> }> {
  const dataDir = join(createTempFolder(), "data");
  const isBuild = program === PROGRAM && !program.isStandalone;
  const { runWords } = createTerminal({ dataDir });
  const deskbell = async (...args: string[]): Promise<string> => {
    // The test suite runs commands in this process, which takes much less time than starting the
    // program. Proofs start the program.
    const result =
      isBuild && process.env["PROOFS"] === undefined
        ? await runWords(args)
        : await runProgram([...args, "--data-dir", dataDir], { program });
    expect(result).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };
  if (isBuild) await copySalon(dataDir);
  else await deskbell("catalog", "apply", SALON);
  return { dataDir, deskbell };
}
