import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceDurably } from "../../platform/durable-file.ts";

/** A file next to the database has the number of the takeover by which this server got its data. */
const ownPath = (databasePath: string): string => join(dirname(databasePath), "epoch");

/** Returns 0 for a server that has never taken over. */
export function readOwnEpoch({ databasePath }: { databasePath: string }): number {
  try {
    return Number(readFileSync(ownPath(databasePath), "utf8").trim()) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

export const saveOwnEpoch = ({ databasePath }: { databasePath: string }, epoch: number): void =>
  replaceDurably(ownPath(databasePath), `${epoch}\n`);
