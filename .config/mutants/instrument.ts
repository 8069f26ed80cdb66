import type { Mutant } from "./find-mutants.ts";

/**
 * Name of the environment variable with the number of the active mutant, for the processes that
 * tests start.
 */
export const ACTIVE = "DESKBELL_MUTANT";
/**
 * Name of the environment variable with the path of a file to which processes append the numbers of
 * the mutants they reach.
 */
export const REACHED = "DESKBELL_MUTANTS_REACHED";

/** State that all sources with switches share in one process or thread. */
export type Switches = {
  active: number;
  /** Reports a mutant whose place is reached for the first time since `reached` was emptied. */
  onReach: (id: number) => void;
  reached: Uint8Array;
};

export const MAX_MUTANTS = 100_000;

/**
 * Source of the function `mutant$`, which is appended to each source on one line. A function
 * declaration is hoisted, so modules that import each other can call it while they are loaded. The
 * function must work without `process`, which browsers do not have.
 */
const SWITCH = `function mutant$(id) { const switches = (globalThis.mutants$ ??= (() => { const { env, getBuiltinModule } = globalThis.process ?? { env: {} }; const file = env.${REACHED}; return { active: Number(env.${ACTIVE} ?? 0), reached: new Uint8Array(${MAX_MUTANTS}), onReach: (id) => { if (file) getBuiltinModule("node:fs").appendFileSync(file, id + "\\n"); } }; })()); if (switches.reached[id] === 0) { switches.reached[id] = 1; switches.onReach(id); } return switches.active === id; }\n`;

type Insertion = { at: number; text: string; isEnd: boolean; length: number };

/** Returns a source with all mutants, each behind a switch. All code stays on its line. */
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
  // Insertions at one position are in this order: ends before starts, the end of an inner range
  // before that of the outer one, and the start of an outer range before that of the inner one.
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
