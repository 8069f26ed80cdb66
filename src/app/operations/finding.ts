/** Something that is not as it should be, and the command that mends it. */
export type Finding = {
  text: string;
  fix: string;
  /** It works as it is; it could go wrong, or unnoticed. */
  isAdvice?: true;
};

/** What was looked at, and what was found. */
export type Check = { about: string; looked: string; findings: Finding[] };

const MOST_LISTED = 5;

/** The first few by name; the rest by number. */
export function summarizeNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MOST_LISTED);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}
