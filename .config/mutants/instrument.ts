import type { Mutant } from "./find-mutants.ts";

/** The environment variable with the number of the active mutant, for processes of tests. */
export const ACTIVE = "DESKBELL_MUTANT";
/** The environment variable with the file to which processes append the mutants they reach. */
export const REACHED = "DESKBELL_MUTANTS_REACHED";

/** What the sources with switches share in a process or thread. */
export type Switches = {
  active: number;
  /** Reports a mutant whose place is reached for the first time since `reached` was emptied. */
  onReach: (id: number) => void;
  reached: Uint8Array;
};

export const MAX_MUTANTS = 100_000;

/**
 * The switch that is appended to each source, on one line. Its declaration is hoisted, so it can be
 * called while modules that import each other are loaded. Browsers have no `process`.
 */
const SWITCH = `function mutant$(id) { const switches = (globalThis.mutants$ ??= (() => { const { env, getBuiltinModule } = globalThis.process ?? { env: {} }; const file = env.${REACHED}; return { active: Number(env.${ACTIVE} ?? 0), reached: new Uint8Array(${MAX_MUTANTS}), onReach: (id) => { if (file) getBuiltinModule("node:fs").appendFileSync(file, id + "\\n"); } }; })()); if (switches.reached[id] === 0) { switches.reached[id] = 1; switches.onReach(id); } return switches.active === id; }\n`;

type Insertion = { at: number; text: string; isEnd: boolean; length: number };

/** Returns a source with all mutants, each behind a switch, on the same lines. */
export function insertSwitches(
  source: string,
  mutants: readonly (Mutant & { id: number })[],
): string {
  if (mutants.length === 0) return source;
  const ranges = Map.groupBy(mutants, ({ start, end, isExpression }) =>
    [start, end, isExpression].join(),
  );
  const insertions = [...ranges.values()].flatMap((group): Insertion[] => {
    const { start, end, isExpression } = group[0] as Mutant;
    const length = end - start;
    const before = isExpression
      ? `(${group.map(({ id, replacement }) => `mutant$(${id}) ? (${replacement}) : `).join("")}(`
      : group.map(({ id }) => `{ if (!mutant$(${id})) {`).join("");
    const after = isExpression ? "))" : "}}".repeat(group.length);
    return [
      { at: start, text: before, isEnd: false, length },
      { at: end, text: after, isEnd: true, length },
    ];
  });
  // Where several ranges meet, an inner one ends before an outer one and starts after it, and a
  // range ends before the next one starts.
  insertions.sort(
    (a, b) =>
      a.at - b.at ||
      Number(b.isEnd) - Number(a.isEnd) ||
      (a.isEnd ? a.length - b.length : b.length - a.length),
  );
  let [text, copied] = ["", 0];
  for (const { at, text: inserted } of insertions) {
    text += source.slice(copied, at) + inserted;
    copied = at;
  }
  return `${text}${source.slice(copied)}${SWITCH}`;
}

/** Returns a source that is changed by a mutant. */
export const applyMutant = (source: string, mutant: Mutant): string => {
  const { start, end, replacement, isExpression } = mutant;
  const changed = isExpression ? `(${replacement})` : "";
  return source.slice(0, start) + changed + source.slice(end);
};
