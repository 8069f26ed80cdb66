import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";

const FOLDER = new URL("../../../shared/data/", import.meta.url).pathname;

export const sharedDataPath = (path: string): string => join(FOLDER, path);

/** Reads a file of sample data outside the repository; skips the test if it is missing. */
export function readSharedData(test: Pick<TestContext, "skip">, path: string): string {
  const file = sharedDataPath(path);
  if (!existsSync(file)) test.skip(`needs ${file}, which is not part of the repository`);
  return readFileSync(file, "utf8");
}
