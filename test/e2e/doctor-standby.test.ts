import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

test.each([
  { what: "two backups an hour apart", first: "100000", shown: /; copies take \d+\.\d MB a day/ },
  { what: "a backup that was made by hand", first: "105958", shown: /110000Z\.db, [^;]*$/m },
])(
  "doctor --standby estimates the copies of a day from the interval of the server ($what)",
  async ({ first, shown }) => {
    const { deskbell } = createTerminal();
    await deskbell(`catalog apply ${SALON}`);
    const { path } = JSON.parse((await deskbell("backup --json")).stdout).data as { path: string };
    const dir = createTempFolder();
    const day = basename(path).split("T")[0];
    for (const time of [first, "110000"]) copyFileSync(path, join(dir, `${day}T${time}Z.db`));
    expect((await deskbell(`doctor --standby ${dir}`)).stdout).toMatch(shown);
  },
);
