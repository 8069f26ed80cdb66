import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceDurably } from "../../platform/durable-file.ts";

/** The file has the number of the takeover by which this server got its data. */
const epochPath = (databasePath: string): string => join(dirname(databasePath), "epoch");

/** Returns the number of the takeover by which this server got its data; 0 if there was none. */
export function readOwnEpoch({ databasePath }: { databasePath: string }): number {
  try {
    return Number(readFileSync(epochPath(databasePath), "utf8").trim()) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

export const saveOwnEpoch = ({ databasePath }: { databasePath: string }, epoch: number): void =>
  replaceDurably(epochPath(databasePath), `${epoch}\n`);
