import { type CacheFile } from "./cache.ts";
import verdicts from "./equivalent.json" with { type: "json" };
import type { Sampled } from "./sample.ts";
import { classifyMutant, type Outcome, rate, type Score } from "./score.ts";

/** A mutant that behaves like the program, and why. `line` is the text of its line. */
export type Equivalent = { file: string; line: string; change: string; reason: string };

const REASONS = new Map(
  (verdicts as Equivalent[]).map(({ file, line, change, reason }) => [
    `${file}: ${line}: ${change}`,
    reason,
  ]),
);

/** Returns whether a mutant is listed as one that no test can notice. */
export const isEquivalent = ({ key }: Sampled): boolean => REASONS.has(key);

const HEADING = "## Mutants";
const NO_MUTANTS: Score = {
  killed: 0,
  timedOut: 0,
  survived: 0,
  notReached: 0,
  equivalent: 0,
  invalid: 0,
};
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Returns the section of the report about mutants. */
export function describeMutants(
  mutants: readonly Sampled[],
  cache: CacheFile,
  { seed, commit, hasPrograms }: { seed: number; commit: string; hasPrograms: boolean },
): string {
  const reached = cache.findReached();
  const outcomes = mutants.map((mutant) => ({
    mutant,
    outcome: classifyMutant(cache.verdictOn(mutant), {
      isReached: reached.has(mutant.id),
      isEquivalent: isEquivalent(mutant),
    }),
  }));
  const countOf = (list: typeof outcomes): Score => {
    const score = { ...NO_MUTANTS };
    for (const { outcome } of list) score[outcome] += 1;
    return score;
  };
  const rows = [...Map.groupBy(outcomes, ({ mutant }) => areaOf(mutant))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, list]) => rowOf(`\`${area}\``, countOf(list)));
  const score = countOf(outcomes);
  const { share, low, high } = rate(score);
  const list = (wanted: Outcome) =>
    outcomes.filter(({ outcome }) => outcome === wanted).map(({ mutant }) => mutant);
  const tests = hasPrograms ? "" : ", without those of `test/e2e` and `test/proofs`,";
  return [
    HEADING,
    `\`npm run mutants -- --count ${mutants.length} --seed ${seed}\` made ${mutants.length.toLocaleString("en")} small changes, each in a copy of commit ${commit}, and ran the tests that reach it${tests} until one failed. Tests noticed ${percent(share)} of them (95 % interval: ${percent(low)} to ${percent(high)}); a change that no test reaches is not noticed, and changes that cannot be compiled or are equivalent to the program are not counted.`,
    [
      "| sources | noticed by a test | endless | survived | not reached | equivalent | cannot be compiled | noticed |",
      "|---|---|---|---|---|---|---|---|",
      ...rows,
      rowOf("all", score),
    ].join("\n"),
    ...listMutants("Survivors", list("survived")),
    ...listMutants("Not reached by a test", list("notReached")),
    ...listMutants("Equivalent", list("equivalent")),
  ].join("\n\n");
}

const areaOf = ({ file }: Sampled): string => {
  const [, layer = "", folder = ""] = file.split("/");
  return layer === "store" || layer === "delivery" ? `src/${layer}` : `src/${layer}/${folder}`;
};

function rowOf(name: string, score: Score): string {
  const { killed, timedOut, survived, notReached, equivalent, invalid } = score;
  const counts = [killed, timedOut, survived, notReached, equivalent, invalid];
  return `| ${[name, ...counts, percent(rate(score).share)].join(" | ")} |`;
}

function listMutants(title: string, mutants: readonly Sampled[]): string[] {
  if (mutants.length === 0) return [];
  const lines = mutants
    .map(({ key }) => {
      const reason = REASONS.get(key);
      return `- ${quote(key)}${reason === undefined ? "" : `: ${reason}`}`;
    })
    .sort();
  return [`### ${title}`, lines.join("\n")];
}

const quote = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** Returns the section of a report that is about mutants, or an empty string. */
export const findMutantsSection = (report: string): string =>
  report
    .split(/^(?=## )/m)
    .find((section) => section.startsWith(`${HEADING}\n`))
    ?.trimEnd() ?? "";

/**
 * Returns a report in which `section` replaces the section about mutants. If there is none yet, it
 * is inserted before the section about bugs that proofs have found.
 */
export function replaceMutants(report: string, section: string): string {
  const old = findMutantsSection(report);
  if (old !== "") return report.replace(old, () => section);
  const next = /^## Bugs that proofs have found/m.exec(report)?.index ?? report.length;
  const [before, after] = [report.slice(0, next).trimEnd(), report.slice(next)];
  return (
    [before, section, after]
      .filter((part) => part !== "")
      .join("\n\n")
      .trimEnd() + "\n"
  );
}
