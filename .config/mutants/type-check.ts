import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyMutant } from "./instrument.ts";
import type { Sampled } from "./sample.ts";

/**
 * Compiler options. Unused names must not be errors, because a mutant often leaves a name unused.
 */
const OPTIONS = [
  "--noEmit",
  "--pretty",
  "false",
  "--noUnusedLocals",
  "false",
  "--noUnusedParameters",
  "false",
  "--incremental",
  "--tsBuildInfoFile",
];

/**
 * Returns the mutants that cannot be compiled. Checks mutants of different files together, in a
 * copy of the checkout.
 */
export async function findInvalid(
  copy: string,
  mutants: readonly Sampled[],
): Promise<Set<Sampled>> {
  const invalid = new Set<Sampled>();
  const queues = [...Map.groupBy(mutants, ({ file }) => file).values()];
  const rounds = Math.max(0, ...queues.map(({ length }) => length));
  for (let round = 0; round < rounds; round++) {
    const together = queues.flatMap((queue) => queue[round] ?? []);
    for (const mutant of await checkTogether(copy, together)) invalid.add(mutant);
  }
  return invalid;
}

/** Returns the mutants that cannot be compiled. Each mutant must be in a different file. */
async function checkTogether(copy: string, mutants: readonly Sampled[]): Promise<Sampled[]> {
  const broken = await findErrors(copy, mutants);
  const invalid = mutants.filter(({ file }) => broken.has(file));
  const rest = mutants.filter((mutant) => !invalid.includes(mutant));
  const isElsewhere = [...broken].some((file) => invalid.every((mutant) => mutant.file !== file));
  if (!isElsewhere || rest.length === 0) return invalid;
  // A file without a mutant has an error, so a mutant in another file causes it. Checking each half
  // of the remaining mutants finds that mutant.
  if (rest.length === 1 && invalid.length === 0) return [...mutants];
  const middle = Math.ceil(rest.length / 2);
  const first = await checkTogether(copy, rest.slice(0, middle));
  const second = await checkTogether(copy, rest.slice(middle));
  return [...invalid, ...first, ...second];
}

/** Returns the files in which the compiler finds errors when these mutants are made. */
async function findErrors(copy: string, mutants: readonly Sampled[]): Promise<Set<string>> {
  if (mutants.length === 0) return new Set();
  const originals = mutants.map(({ file }) => readFileSync(join(copy, file), "utf8"));
  mutants.forEach((mutant, index) =>
    writeFileSync(join(copy, mutant.file), applyMutant(originals[index] ?? "", mutant)),
  );
  const stdout = await compile(copy);
  mutants.forEach(({ file }, index) => writeFileSync(join(copy, file), originals[index] ?? ""));
  const places = stdout.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error/gm);
  return new Set([...places].map(([, file = ""]) => file));
}

/**
 * Runs the compiler and returns its output, which lists the errors.
 * @throws if the compiler fails without naming an error: the mutants would count as valid
 */
const compile = (copy: string): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(
      join(copy, "node_modules/.bin/tsc"),
      [...OPTIONS, join(copy, "checked.tsbuildinfo"), "-p", join(copy, "tsconfig.json")],
      { cwd: copy, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        error === null || /: error /.test(stdout)
          ? resolve(stdout)
          : reject(new Error(`The compiler failed: ${stdout}${stderr}`, { cause: error })),
    ),
  );
