import { readFileSync } from "node:fs";

/** Max open files of this process, sockets included; null if the system does not provide it. */
export function readOpenFileLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
