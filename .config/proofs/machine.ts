import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import Database from "better-sqlite3";
import { readVersion } from "../../src/assets.ts";

const git = (...args: string[]): string =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Returns the commit of the checkout, and whether files differ from it. */
export function describeCommit(): string {
  try {
    const isClean = git("status", "--porcelain", "--", ".", ":!test/proofs/RESULTS.md") === "";
    return git("rev-parse", "--short=12", "HEAD") + (isClean ? "" : " with uncommitted changes");
  } catch {
    return `version ${readVersion()}, not in a git checkout`;
  }
}

/** Describes the hardware and the kernel, without names that identify the machine. */
export const describeMachine = (): string =>
  [
    cpus()[0]?.model.trim() ?? "unknown CPU",
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${type()} ${release().split("-")[0]}`,
  ].join(", ");

export function describeVersions(): string {
  const db = new Database(":memory:");
  const sqlite = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  db.close();
  return `deskbell ${readVersion()}, Node ${process.versions.node}, SQLite ${sqlite}`;
}
