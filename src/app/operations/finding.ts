/** A problem that `doctor` found, and the command that fixes it. */
export type Finding = {
  text: string;
  fix: string;
  /** Nothing is broken; this is a recommendation. */
  isAdvice?: true;
};

/** The result of one check. `looked` summarizes what was examined. */
export type Check = { about: string; looked: string; findings: Finding[] };

const MAX_NAMES = 5;

/** `a, b, c, d, e and 3 more` */
export function summarizeNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}
