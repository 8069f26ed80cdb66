import { type Claim, type Group, GROUPS } from "../../test/support/claims.ts";
import { findMutantsSection } from "../mutants/report.ts";
import { BUGS_FOUND, NOT_COVERED } from "./history.ts";

/**
 * A result of a run of proofs: a claim that a test has proven, or the outcome of a test or file
 * without a claim.
 */
export type Finding = { file: string } & (
  | { kind: "proven"; claim: Claim }
  | { kind: "failed" | "undecided" | "skipped" | "passed"; test: string }
);

/** The use of the machine during a run. */
export type Conditions = {
  /**
   * Factor by which the proofs waited longer than on a quiet machine. It is the slowdown that was
   * measured before the run.
   */
  patience: number;
  /** The slowdown before or after the run, whichever is greater. */
  slowdown: number;
  load: number;
  stealShare: number;
};

const HEADINGS = {
  failed: "### FAILED: ",
  undecided: "### Undecided: ",
  proven: "### ",
  passed: "### Passed, without a control: ",
  skipped: "### Skipped: ",
} as const;

/** A run of some test files of a group. */
export type GroupRun = {
  group: Group;
  /** Names of the files; null for all files of the group. */
  files: string[] | null;
  commit: string;
  /** The date in ISO 8601. */
  date: string;
  size: "full" | "quick";
  seeds: number[];
  minutes: number;
  /** The conditions of each run of the group, one for each seed. */
  conditions: Conditions[];
  findings: Finding[];
};

const TITLES: Record<Group, string> = {
  crash: "Crashes and restarts",
  power: "Power cuts",
  faults: "Faults of disks, clocks, receivers and endpoints",
  attack: "Attacks",
  simulate: "Simulations and random edits",
};

const INTRODUCTION = `# Results of the proofs

\`npm run proofs\` writes this file. The title of a section is a claim, and its test tries to refute it. The control is the same
test of a program that is broken on purpose: if the control passes, the test shows nothing, and the claim fails. A claim is
undecided if its test saw nothing false, but something took too long on a busy machine.
\`npm run proofs -- GROUP --seed S\` repeats a group; \`npm run proofs -- --quick\` runs all in less than 15 minutes and writes
\`RESULTS.quick.md\`.
`;

export const isProven = ({ findings }: GroupRun): boolean =>
  findings.some(({ kind }) => kind === "proven") &&
  findings.every(({ kind }) => kind !== "failed" && kind !== "undecided");

/** Describes the machine by the highest value of each condition in the runs. */
function describeConditions({ conditions }: GroupRun): string {
  const highest = (of: (one: Conditions) => number) => Math.max(...conditions.map(of));
  const load = highest((one) => one.load).toFixed(1);
  const steal = Math.round(100 * highest((one) => one.stealShare));
  const slowdown = highest((one) => one.slowdown).toFixed(1);
  return `The load of the machine was ${load}, its host gave ${steal} % of its time to others, and it was ${slowdown} times slower than when it is quiet.`;
}

/** Returns the block of the report about a finding. */
function renderFinding(finding: Finding, run: GroupRun): string {
  const { group, seeds, size, commit, date } = run;
  const [day, time] = [date.slice(0, 10), date.slice(11, 16)];
  const command = `${commandOf(group, finding.file)}${size === "quick" ? " --quick" : ""} --seed ${seeds[0]}\``;
  const more = seeds.length > 1 ? ` and the seeds up to ${seeds.at(-1)}` : "";
  const origin = `- Run: ${command}${more} gave this result at commit ${commit} on ${day} at ${time} UTC. ${describeConditions(run)}`;
  if (finding.kind !== "proven") {
    const { kind, test } = finding;
    return [HEADINGS[kind] + test, "", origin].join("\n");
  }
  const { claim, done, figure, control } = finding.claim;
  return [
    HEADINGS.proven + claim,
    "",
    `- Test: ${groupDigits(done)}`,
    `- Result: ${groupDigits(figure)}`,
    `- Control: ${groupDigits(`${control.done} ${control.figure}`)}`,
    origin,
  ].join("\n");
}

/** Returns the beginning of the command that repeats a test, which identifies the test's blocks. */
const commandOf = (group: Group, file: string): string => `\`npm run proofs -- ${group}/${file}`;

/** Writes integers of four digits and more with commas. */
const groupDigits = (text: string): string =>
  text.replaceAll(/(?<![\w.,:-])\d{4,}(?![\w:-])/g, (digits) =>
    Number(digits).toLocaleString("en"),
  );

/** Returns the blocks of a group that are kept: those of files that did not run. */
const keptBlocks = (section: string, group: Group, files: string[]): string[] =>
  section
    .split(/^(?=### )/m)
    .slice(1)
    .filter((block) => !files.some((file) => block.includes(`- Run: ${commandOf(group, file)} `)))
    .map((block) => block.trimEnd());

const KINDS = ["failed", "undecided", "proven", "passed", "skipped"] as const;
const kindOf = (block: string): (typeof KINDS)[number] =>
  (["failed", "undecided", "passed", "skipped"] as const).find((kind) =>
    block.startsWith(HEADINGS[kind]),
  ) ?? "proven";

function renderGroup(before: string, group: Group, run: GroupRun | undefined): string {
  const section = before.split(/^(?=## )/m).find((one) => one.startsWith(heading(group))) ?? "";
  if (run === undefined) return section.trimEnd();
  const kept = run.files === null ? [] : keptBlocks(section, group, run.files);
  const blocks = [...kept, ...run.findings.map((finding) => renderFinding(finding, run))];
  const of = (kind: keyof typeof HEADINGS) =>
    blocks.filter((block) => kindOf(block) === kind).sort();
  const sorted = KINDS.flatMap(of);
  const verdict = `${of("proven").length} claims were proven; ${of("failed").length} tests failed, ${of("undecided").length} were undecided, and ${of("skipped").length} were skipped.`;
  const length = run.files === null ? ` The run took ${run.minutes.toFixed(1)} minutes.` : "";
  return [heading(group) + TITLES[group], verdict + length, ...sorted].join("\n\n");
}

const heading = (group: Group): string => `## ${group}: `;

/**
 * Returns the report with the findings of these runs. Findings of other files are kept if they were
 * made on the same machine with the same versions.
 */
export function mergeReport(
  before: string,
  { machine, versions }: { machine: string; versions: string },
  runs: readonly GroupRun[],
): string {
  const about = `- Machine: ${machine}\n- Versions: ${versions}`;
  const kept = before.includes(about) ? before : "";
  const sections = GROUPS.map((group) =>
    renderGroup(
      kept,
      group,
      runs.find((run) => run.group === group),
    ),
  ).filter((section) => section !== "");
  const mutants = findMutantsSection(before);
  const parts = [INTRODUCTION.trimEnd(), about, ...sections, mutants, BUGS, LIMITS];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const BUGS = [
  "## Bugs that proofs have found",
  "",
  "| bug | found by | fixed in |",
  "|---|---|---|",
  ...BUGS_FOUND.map(({ bug, foundBy, commit }) => `| ${bug} | ${foundBy} | ${commit} |`),
].join("\n");

const LIMITS = ["## Not covered", "", ...NOT_COVERED.map((line) => `- ${line}`)].join("\n");
