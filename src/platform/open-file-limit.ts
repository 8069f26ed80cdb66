import { readFileSync } from "node:fs";

/** How the operator raises the limit. */
export const RAISE_OPEN_FILE_LIMIT =
  "set LimitNOFILE=65536 in the systemd unit of deskbell, or run ulimit -n 65536 before you start deskbell";

/** Returns how many files and sockets the process may open; null if the system does not tell. */
export function readOpenFileLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
