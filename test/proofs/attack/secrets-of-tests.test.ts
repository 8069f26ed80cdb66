import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { recordClaim } from "../../support/claims.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createSeededSalon } from "../../support/daemon.ts";
import { findLeaks } from "../../support/leak-search.ts";
import { chooseScale } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

// Searches the data folders of all other tests for API keys and signing secrets.

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = chooseScale<string[]>(
  [],
  ["app", "cli", "delivery", "features", "http", "store"],
  ["app/webhooks"],
);

type Searched = { folder: string; files: number; leaks: string[] };

/** Runs tests, and searches each of their folders before the test deletes it. */
async function searchFoldersOfTests(): Promise<Searched[]> {
  const report = join(createTempFolder(), "report");
  writeFileSync(report, "");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { PROOFS: _size, PROOFS_CLAIMS: _claims, ...env } = process.env;
  // A failing test is a failure of `npm test`, not of this proof.
  await promisify(execFile)(
    process.execPath,
    [vitest, "run", ...FOLDERS.map((folder) => `test/${folder}/`), "--reporter=minimal"],
    { cwd: ROOT, env: { ...env, PROOFS_LEAKS: report }, maxBuffer: 1e8 },
  ).catch(() => {});
  const lines = readFileSync(report, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Searched);
}

/** Searches a data folder that contains the output of `keys create`. */
async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell("keys", "create", "--name", "site", "--secret");
  writeFileSync(join(dataDir, "output.txt"), key);
  const { leaks } = findLeaks(dataDir);
  return {
    done: "A data folder was searched in which the output of `keys create` had been stored.",
    figure:
      leaks.length > 0 ? `The search found ${leaks.join(", ")}.` : "The search found nothing.",
    hasFailed: leaks.length === 1,
  };
}

test.skipIf(FOLDERS.length === 0)(
  "no test leaves a secret in a data folder",
  { timeout: patient(1_800_000) },
  async () => {
    const searched = await searchFoldersOfTests();
    expect(searched.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
    const files = searched.reduce((sum, folder) => sum + folder.files, 0);
    expect(files).toBeGreaterThan(50 * FOLDERS.length);
    recordClaim({
      group: "attack",
      claim: "No operation leaves a secret in a data folder",
      done: `The tests in ${FOLDERS.map((folder) => `test/${folder}`).join(", ")} ran, and each of their ${searched.length} data folders was searched for API keys and signing secrets before it was deleted.`,
      figure: `No secret was found in ${files} files.`,
      control: await runControl(),
      seed: "none",
    });
  },
);
