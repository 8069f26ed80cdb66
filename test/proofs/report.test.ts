import { describe, expect, test } from "vitest";
import { replaceMutants } from "../../.config/mutants/report.ts";
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
    const control = { done: "A bug was made.", figure: "It was found.", hasFailed: true };
    const details = {
      done: "The daemon was killed.",
      figure: "Nothing was lost.",
      control,
      seed: 5,
    };
    return { kind: "proven", claim: { group: "crash", claim, ...details } } as Finding;
  };
  const first = mergeReport("", machine, [run("kills", [proven("Nothing is lost")])]);

  test("a report keeps the results of tests that did not run", () => {
    const merged = mergeReport(first, machine, [run("stops", [proven("Nothing is repeated")])]);
    expect(merged).toContain("### Nothing is lost\n");
    expect(merged).toContain("### Nothing is repeated\n");
    expect(merged).toContain("2 claims were proven; 0 tests failed");
  });

  test("a report keeps the results of mutants until new ones replace them", () => {
    const section = (share: string) => `## Mutants\n\nTests noticed ${share} of them.`;
    const added = replaceMutants(first, section("90 %"));
    expect(added.indexOf("## Mutants")).toBeLessThan(added.indexOf("## Bugs that proofs"));
    const merged = mergeReport(added, machine, [run("stops", [proven("Nothing is repeated")])]);
    expect(merged).toContain("Tests noticed 90 % of them.\n\n## Bugs that proofs");
    const replaced = replaceMutants(merged, section("91 %"));
    expect(replaced).toBe(merged.replace("90 %", "91 %"));
  });

  test("a merged report drops the earlier result of a test that now fails", () => {
    const failure = { kind: "failed", test: "kills lose nothing" } as Finding;
    const merged = mergeReport(first, machine, [run("kills", [failure])]);
    expect(merged).toContain("### FAILED: kills lose nothing\n");
    expect(merged).not.toContain("Nothing is lost");
  });

  test("a report names each undecided test, and how busy the machine was", () => {
    const undecided = { kind: "undecided", test: "kills lose nothing" } as Finding;
    const busy = run("kills", [undecided]);
    expect(mergeReport("", machine, [busy])).toMatch(
      /0 claims were proven; 0 tests failed, 1 were undecided[^]*### Undecided: kills lose nothing\n\n- Run: .* load of the machine was 0\.5, its host gave 2 % of its time to others, and it was 1\.2 times slower than when it is quiet\.\n/,
    );
    expect(isProven(busy)).toBe(false);
  });

  test("a report tells in sentences what was done and found, and how to repeat it", () => {
    const claim = { ...proven("Nothing is lost") } as Extract<Finding, { kind: "proven" }>;
    claim.claim = {
      ...claim.claim,
      done: "The daemon was killed 100000 times at 127.0.0.1:54321.",
    };
    const several = { ...run("kills", [claim]), seeds: [5, 6, 7], size: "quick" } as GroupRun;
    const report = mergeReport("", machine, [several]);
    expect(report).toContain(`### Nothing is lost

- Test: The daemon was killed 100,000 times at 127.0.0.1:54321.
- Result: Nothing was lost.
- Control: A bug was made. It was found.
- Run: \`npm run proofs -- crash/kills --quick --seed 5\` and the seeds up to 7 gave this result at commit abc on 2026-11-22 at 11:18 UTC.`);
    expect(mergeReport(report, machine, [run("kills", [proven("Nothing is lost")])])).toMatch(
      /^1 claims were proven/m,
    );
  });

  test("a report keeps the results of a test whose name begins like another one", () => {
    const merged = mergeReport(first, machine, [run("kill", [proven("Nothing is killed")])]);
    expect(merged).toContain("### Nothing is lost\n");
  });

  test("a report from another machine keeps no earlier results", () => {
    const other = { ...machine, machine: "another CPU" };
    expect(mergeReport(first, other, [])).not.toContain("Nothing is lost");
  });
});
