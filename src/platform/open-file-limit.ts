import { readFileSync } from "node:fs";

/** Returns how many files and sockets the process may open; null if the system does not tell. */
export function readOpenFileLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
