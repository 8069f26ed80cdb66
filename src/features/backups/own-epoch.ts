import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceDurably } from "../../platform/durable-file.ts";

/** The file has the number of the takeover by which this server got its data. */
const epochPath = (dataDir: string): string => join(dataDir, "epoch");

/** Returns the number of the takeover by which this server got its data; 0 if there was none. */
export function readOwnEpoch({ dataDir }: { dataDir: string }): number {
  try {
    return Number(readFileSync(epochPath(dataDir), "utf8").trim()) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

export const saveOwnEpoch = ({ dataDir }: { dataDir: string }, epoch: number): void =>
  replaceDurably(epochPath(dataDir), `${epoch}\n`);
