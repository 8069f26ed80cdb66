import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { RecordedClaim } from "../../test/support/claims.ts";
import type { Finding, GroupRun } from "./report.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

type VitestReport = {
  testResults: {
    name: string;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

const nameOf = (path: string): string => basename(path, ".test.ts");

/** Runs the tests of a group once, and returns what they have found. */
export async function runTests({ group, files, size }: GroupRun, seed: number): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-proofs-"));
  const [claims, report] = [join(folder, "claims"), join(folder, "report.json")];
  const vitest = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      ...(files ?? [""]).map((file) => `test/proofs/${group}/${file}`),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, PROOFS: size, PROOFS_SEED: String(seed), PROOFS_CLAIMS: claims },
    },
  );
  const [code] = (await once(vitest, "exit")) as [number | null];
  const lines = existsSync(claims) ? readFileSync(claims, "utf8").trimEnd().split("\n") : [];
  const proven = lines.map((line): Finding => {
    const claim = JSON.parse(line) as RecordedClaim;
    return { kind: "proven", claim, file: nameOf(claim.file) };
  });
  const { testResults } = existsSync(report)
    ? (JSON.parse(readFileSync(report, "utf8")) as VitestReport)
    : { testResults: [] };
  rmSync(folder, { recursive: true });
  const unproven = testResults.flatMap(({ name, status, assertionResults }): Finding[] => {
    const tests = assertionResults.flatMap(({ fullName: test, status }) =>
      status === "failed" || status === "skipped" ? [{ kind: status, test } as const] : [],
    );
    const file = nameOf(name);
    const passed = assertionResults.filter((one) => one.status === "passed").length;
    const isProven = proven.some((claim) => claim.file === file);
    if (tests.length > 0) return tests.map((finding) => ({ ...finding, file }));
    if (status === "failed") return [{ kind: "failed", test: `${file} cannot be run`, file }];
    return isProven ? [] : [{ kind: "passed", test: `${file} (${passed} tests)`, file }];
  });
  if (code !== 0 && unproven.every(({ kind }) => kind !== "failed"))
    unproven.push({ kind: "failed", test: `vitest exited with ${code}`, file: group });
  return [...proven, ...unproven];
}
