import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { insertSwitches } from "./instrument.ts";
import type { Sampled } from "./sample.ts";

/** Folders that the build writes. */
const BUILT = ["dist", "src/client/generated"];

/**
 * Copies the files of a checkout to a temporary folder, so that nothing in the checkout changes.
 */
export function copyCheckout(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "deskbell-mutants-"));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of [...files, ...BUILT]) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Inserts all mutants into the sources of a copy, each behind a switch. */
export function insertMutants(copy: string, mutants: readonly Sampled[]): void {
  for (const [file, own] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const path = join(copy, file);
    writeFileSync(path, insertSwitches(readFileSync(path, "utf8"), own));
  }
}
