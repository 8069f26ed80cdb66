import { readFileSync } from "node:fs";

/** How many files this process may have open at once, connections among them; null where the system does not tell. */
export function readOpenFileLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
