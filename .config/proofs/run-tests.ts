import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { RecordedClaim } from "../../test/support/claims.ts";
import { measureSlowdown, watchMachine } from "./machine.ts";
import type { Conditions, Finding, GroupRun } from "./report.ts";
import type { FileOutcome } from "./reporter.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

const nameOf = (path: string): string => basename(path, ".test.ts");

/**
 * Slowdown from which a machine counts as busy. A test that waited too long on a busy machine is
 * undecided.
 */
const BUSY_SLOWDOWN = 1.5;
/** Share of time that the host gave to other machines, from which this machine counts as busy. */
const BUSY_STEAL = 0.05;

/** Runs the tests of a group once. Returns their findings and how busy the machine was. */
export async function runTests(
  { group, files, size }: GroupRun,
  seed: number,
): Promise<{ findings: Finding[]; conditions: Conditions }> {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-proofs-"));
  const [claims, outcomes] = [join(folder, "claims"), join(folder, "outcomes.json")];
  const patience = await measureSlowdown();
  const readUse = watchMachine();
  const vitest = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      ...(files ?? [""]).map((file) => `test/proofs/${group}/${file}`),
      "--reporter=default",
      `--reporter=${join(import.meta.dirname, "reporter.ts")}`,
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: {
        ...process.env,
        PROOFS: size,
        PROOFS_SEED: String(seed),
        PROOFS_CLAIMS: claims,
        PROOFS_OUTCOMES: outcomes,
        PROOFS_PATIENCE: patience.toFixed(1),
      },
    },
  );
  const [code] = (await once(vitest, "exit")) as [number | null];
  const use = readUse();
  const slowdown = Math.max(patience, await measureSlowdown());
  const isBusy = slowdown >= BUSY_SLOWDOWN || use.stealShare >= BUSY_STEAL;
  const lines = existsSync(claims) ? readFileSync(claims, "utf8").trimEnd().split("\n") : [];
  const proven = lines.map((line): Finding => {
    const claim = JSON.parse(line) as RecordedClaim;
    return { kind: "proven", claim, file: nameOf(claim.file) };
  });
  const ran = existsSync(outcomes)
    ? (JSON.parse(readFileSync(outcomes, "utf8")) as FileOutcome[])
    : [];
  rmSync(folder, { recursive: true });
  const unproven = ran.flatMap(({ path, isFailed, tests }): Finding[] => {
    const file = nameOf(path);
    const findings = tests.flatMap(({ test, state }): Finding[] => {
      if (state === "passed") return [];
      const kind = state === "patience" ? (isBusy ? "undecided" : "failed") : state;
      return [{ kind, test, file }];
    });
    if (findings.length > 0) return findings;
    if (isFailed) return [{ kind: "failed", test: `${file} cannot be run`, file }];
    const isProven = proven.some((claim) => claim.file === file);
    return isProven ? [] : [{ kind: "passed", test: `${file} (${tests.length} tests)`, file }];
  });
  if (code !== 0 && unproven.every(({ kind }) => kind !== "failed" && kind !== "undecided"))
    unproven.push({ kind: "failed", test: `vitest exited with ${code}`, file: group });
  const conditions = { patience, slowdown, ...use };
  return { findings: [...proven, ...unproven], conditions };
}
