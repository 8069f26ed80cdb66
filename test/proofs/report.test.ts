import { describe, expect, test } from "vitest";
import { type Finding, type GroupRun, isProven, mergeReport } from "../../.config/proofs/report.ts";

describe("a report", () => {
  const machine = { machine: "a CPU", versions: "Node 26" };
  const run = (file: string, findings: Omit<Finding, "file">[]): GroupRun => ({
    group: "crash",
    files: [file],
    commit: "abc",
    date: "2026-11-22T11:18:00.000Z",
    size: "full",
    seeds: [5],
    minutes: 1,
    conditions: [{ patience: 1, slowdown: 1.24, load: 0.5, stealShare: 0.021 }],
    findings: findings.map((finding) => ({ ...finding, file }) as Finding),
  });
  const proven = (claim: string): Omit<Finding, "file"> => {
    const control = { done: "a bug", figure: "found", hasFailed: true };
    const details = { done: "kills", figure: "0 lost", control, seed: 5 };
    return { kind: "proven", claim: { group: "crash", claim, ...details } } as Finding;
  };
  const first = mergeReport("", machine, [run("kills", [proven("Nothing is lost")])]);

  test("keeps the results of tests that did not run", () => {
    const merged = mergeReport(first, machine, [run("stops", [proven("Nothing is repeated")])]);
    expect(merged).toContain("### Nothing is lost\n");
    expect(merged).toContain("### Nothing is repeated\n");
    expect(merged).toContain("2 claims proven, 0 tests failed");
  });

  test("replaces the results of a test that failed", () => {
    const failure = { kind: "failed", test: "kills lose nothing" } as Finding;
    const merged = mergeReport(first, machine, [run("kills", [failure])]);
    expect(merged).toContain("### FAILED: kills lose nothing\n");
    expect(merged).not.toContain("Nothing is lost");
  });

  test("names what is undecided, and how busy the machine was", () => {
    const undecided = { kind: "undecided", test: "kills lose nothing" } as Finding;
    const busy = run("kills", [undecided]);
    expect(mergeReport("", machine, [busy])).toMatch(
      /0 claims proven, 0 tests failed, 1 undecided[^]*### Undecided: kills lose nothing\n\n- Run: .* load 0\.5, 2 % of the time stolen, 1\.2 times slower than a quiet machine\n/,
    );
    expect(isProven(busy)).toBe(false);
  });

  test("of another machine starts anew", () => {
    const other = { ...machine, machine: "another CPU" };
    expect(mergeReport(first, other, [])).not.toContain("Nothing is lost");
  });
});
