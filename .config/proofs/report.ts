import { type Claim, type Group, GROUPS } from "../../test/support/claims.ts";
import { BUGS_FOUND, NOT_COVERED } from "./history.ts";

/** The run of a group. */
export type GroupRun = {
  group: Group;
  commit: string;
  /** In ISO 8601. */
  date: string;
  machine: string;
  versions: string;
  size: "full" | "quick";
  seeds: number[];
  minutes: number;
  claims: Claim[];
  /** Names of the tests that failed or were skipped. */
  failed: string[];
  skipped: string[];
};

const TITLES: Record<Group, string> = {
  crash: "Crashes and restarts",
  power: "Power cuts",
  faults: "Faults of disks, clocks, receivers and endpoints",
  attack: "Attacks",
  simulate: "Simulations",
};

const INTRODUCTION = `# Results of the proofs

\`npm run proofs\` writes this file. Each claim is proven by tests that try to refute it. Its control is the same test of a
program that is broken on purpose: if the control passes, the proof shows nothing, and the claim fails. To repeat a group, run
\`npm run proofs -- GROUP --seed S\`; \`npm run proofs -- --quick\` takes less than 15 minutes and writes
\`RESULTS.quick.md\`.
`;

export const isProven = ({ failed, claims }: GroupRun): boolean =>
  failed.length === 0 && claims.length > 0;

/** Returns the section of a group. */
export function renderGroup(run: GroupRun): string {
  const { group, claims, failed, skipped, seeds } = run;
  const verdict = isProven(run)
    ? `all ${claims.length} claims proven`
    : `**failed**: ${failed.length} tests failed`;
  const seed = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)}`;
  const list = (title: string, names: string[]) =>
    names.length === 0 ? [] : [`### ${title}`, "", ...names.map((name) => `- ${name}`), ""];
  return [
    `## ${TITLES[group]} (\`${group}\`)`,
    "",
    `- Verdict: ${verdict}`,
    `- Run: ${run.size}, ${seed}, ${run.minutes.toFixed(1)} minutes, ${run.date.slice(0, 16)}Z`,
    `- Commit: ${run.commit}`,
    `- Machine: ${run.machine}`,
    `- Versions: ${run.versions}`,
    "",
    ...claims.toSorted((a, b) => (a.claim < b.claim ? -1 : 1)).flatMap(renderClaim),
    ...list("Failed", failed),
    ...list("Skipped", skipped),
  ].join("\n");
}

const renderClaim = ({ claim, done, figure, control, seed }: Claim): string[] => [
  `### ${claim}`,
  "",
  `- Done: ${done}${seed === "none" ? "" : ` (seed ${seed})`}`,
  `- Found: ${figure}`,
  `- Control: ${control.done}: ${control.figure}`,
  "",
];

/** Returns the report with the sections of these groups replaced, and all others kept. */
export function mergeReport(before: string, runs: readonly GroupRun[]): string {
  const kept = before.split(/^(?=## )/m);
  const sections = GROUPS.map((group) => {
    const run = runs.find((one) => one.group === group);
    if (run !== undefined) return renderGroup(run);
    return kept.find((section) => section.startsWith(`## ${TITLES[group]} (`)) ?? "";
  });
  return [INTRODUCTION, ...sections, renderBugs(), renderNotCovered()]
    .filter((section) => section !== "")
    .map((section) => section.trimEnd())
    .join("\n\n")
    .concat("\n");
}

const renderBugs = (): string =>
  [
    "## Bugs that proofs have found",
    "",
    "| bug | found by | fixed in |",
    "|---|---|---|",
    ...BUGS_FOUND.map(({ bug, foundBy, commit }) => `| ${bug} | ${foundBy} | ${commit} |`),
  ].join("\n");

const renderNotCovered = (): string =>
  ["## Not covered", "", ...NOT_COVERED.map((line) => `- ${line}`)].join("\n");
