import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { recordOutputs } from "./compare/record-outputs.ts";

// npm run compare:outputs -- FOLDER: compares what this build prints, serves and stores with what
// the build in another checkout does. If nothing differs, a change of the code changes nothing for
// users.

const [earlier] = process.argv.slice(2);
if (earlier === undefined) {
  console.error(
    "error: Missing folder of the earlier build.\nfix: npm run compare:outputs -- ../deskbell-before",
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "deskbell-outputs-"));
for (const [name, checkout] of [
  ["before", resolve(earlier)],
  ["after", resolve(import.meta.dirname, "..")],
] as const) {
  const count = await recordOutputs(checkout, join(folder, name));
  console.error(`${name}: recorded ${count} outputs of ${checkout}`);
}
const { status } = spawnSync(
  "git",
  ["diff", "--no-index", "--stat", "--patch", "before", "after"],
  {
    cwd: folder,
    stdio: "inherit",
  },
);
if (status === 0) {
  console.log("All outputs are the same.");
  rmSync(folder, { recursive: true });
} else console.log(`The outputs are in ${folder}.`);
process.exitCode = status ?? 1;
