import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { readVersion } from "../../src/platform/assets.ts";

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

const SPIN_MS = 1000;

/**
 * Returns how many times longer computing on all cores takes than on a quiet machine. Takes a
 * second.
 */
export async function measureSlowdown(): Promise<number> {
  const cores = availableParallelism();
  const spin = `const end = performance.now() + ${SPIN_MS}; while (performance.now() < end);`;
  const [before, startedAt] = [process.cpuUsage(), performance.now()];
  await Promise.all(
    Array.from(
      { length: cores },
      () => new Promise((resolve) => new Worker(spin, { eval: true }).once("exit", resolve)),
    ),
  );
  const { user, system } = process.cpuUsage(before);
  const available = (performance.now() - startedAt) * cores;
  return Math.max(1, available / ((user + system) / 1000));
}

/** The load average of the last minute, and the share of time that the host gave to others. */
export type MachineUse = { load: number; stealShare: number };

/**
 * Starts to watch the machine. Returns a function that returns the machine's use since the start.
 */
export function watchMachine(): () => MachineUse {
  const before = readCpuTimes();
  return () => {
    const after = readCpuTimes();
    const total = after.total - before.total;
    const stealShare = total === 0 ? 0 : (after.steal - before.steal) / total;
    return { load: loadavg()[0] ?? 0, stealShare };
  };
}

/**
 * Returns the CPU ticks of all cores since the machine started. The stolen ticks are known on Linux
 * only.
 */
function readCpuTimes(): { total: number; steal: number } {
  if (!existsSync("/proc/stat")) return { total: 0, steal: 0 };
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const ticks = line.split(/ +/).slice(1, 9).map(Number);
  return { total: ticks.reduce((sum, one) => sum + one, 0), steal: ticks[7] ?? 0 };
}
