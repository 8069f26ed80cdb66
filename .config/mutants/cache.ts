import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sampled } from "./sample.ts";

/** What is known of a test file: its time, and the mutants that it reaches. */
export type TestFile = {
  /** SHA-256 of its text. */
  sha256: string;
  /** Whether it passes without a mutant. Other test files are not used. */
  passes: boolean;
  ms: number;
  /** Mutants that are reached while the file is loaded, or by hooks. */
  loading: number[];
  tests: { name: string; ms: number; reached: number[] }[];
};

/** What is known of a mutant. */
export type Verdict = {
  status: "killed" | "timed out" | "invalid" | "survived";
  /** The test file that failed, and its test. */
  by?: string;
  /** SHA-256 of the source. The verdict holds for this source. */
  source: string;
  /** Whether the compiler accepts the mutant; undefined until it is checked. */
  isCompiled?: boolean;
  /** The test files that passed although they reach the mutant, with their SHA-256. */
  passed: Record<string, string>;
};

export type Cache = {
  /** SHA-256 of the mutants and sources for which `files` holds. */
  sample: string;
  files: Record<string, TestFile>;
  mutants: Record<string, Verdict>;
};

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Stores what is known of tests and mutants in a file, so that a run can be resumed. */
export class CacheFile {
  readonly #path: string;
  readonly #hashes: Map<string, string>;
  readonly cache: Cache;

  constructor(folder: string, root: string, sample: readonly Sampled[]) {
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, "mutants.json");
    const sources = Map.groupBy(sample, ({ file }) => file);
    const hashes = new Map(
      [...sources.keys()].map((file) => [file, sha256(readFileSync(join(root, file), "utf8"))]),
    );
    const identity = sha256(JSON.stringify([sample.map(({ key }) => key), [...hashes]]));
    const stored = existsSync(this.#path)
      ? (JSON.parse(readFileSync(this.#path, "utf8")) as Cache)
      : { sample: identity, files: {}, mutants: {} };
    // A test file that failed without a mutant is measured again, because a change of another file
    // may have fixed it.
    const passing = Object.entries(stored.files).filter(([, { passes }]) => passes);
    const files = stored.sample === identity ? Object.fromEntries(passing) : {};
    const mutants = sample.flatMap(({ key, file }): [string, Verdict][] => {
      const verdict = stored.mutants[key];
      return verdict?.source === hashes.get(file) && verdict ? [[key, verdict]] : [];
    });
    this.cache = { sample: identity, files, mutants: Object.fromEntries(mutants) };
    this.#hashes = hashes;
  }

  /** Returns the stored verdict on a mutant. The caller may change the verdict in place. */
  verdictOn({ key, file }: Sampled): Verdict {
    const source = this.#hashes.get(file) ?? "";
    return (this.cache.mutants[key] ??= { status: "survived", source, passed: {} });
  }

  /** Returns the IDs of the mutants that at least one test reaches. */
  findReached(): Set<number> {
    const files = Object.values(this.cache.files).filter(({ passes }) => passes);
    return new Set(
      files.flatMap(({ loading, tests }) => [
        ...loading,
        ...tests.flatMap(({ reached }) => reached),
      ]),
    );
  }

  save(): void {
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.cache));
    renameSync(`${this.#path}.new`, this.#path);
  }
}
