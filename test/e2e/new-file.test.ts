import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

/** Commands that write a new file, with the flag that names it. */
const COMMANDS = [
  "keys create --name site --secret --out",
  "catalog import csv TABLE --business-slug annes --timezone Europe/Zurich --currency CHF --out",
  "businesses publish salon-aurora --booking request --qr",
];

describe.each(COMMANDS)("a dry run of %s", (command) => {
  async function open() {
    const folder = createTempFolder();
    const [table, file] = [join(folder, "prices.csv"), join(folder, "file")];
    writeFileSync(table, "type,name,price,duration_min\nservice,Cut,40.00,30\n");
    writeFileSync(file, "mine");
    const { runWords, deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const words = command.replace("TABLE", table).split(" ");
    return { folder, file, run: (...more: string[]) => runWords([...words, ...more]) };
  }

  test("a dry run refuses an output file that the command itself refuses, with the same error", async () => {
    const { folder, file, run } = await open();
    for (const out of [file, folder, join(folder, "none", "new"), join(file, "new"), ""]) {
      const { code, stderr } = await run(out);
      expect(code).toBeGreaterThan(0);
      expect(await run(out, "--dry-run")).toMatchObject({ code, stderr });
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("a dry run accepts an output file that does not exist, and does not create it", async () => {
    const { folder, run } = await open();
    const out = join(folder, "new");
    expect(await run(out, "--dry-run")).toMatchObject({ code: 0 });
    expect(existsSync(out)).toBe(false);
  });
});
