import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { readOwnEpoch, saveOwnEpoch } from "../../../src/features/backups/own-epoch.ts";
import { createTempFolder } from "../../support/cli.ts";

test("two servers whose databases are links into one folder have epochs of their own", () => {
  const disk = createTempFolder();
  const [first, second] = ["a.db", "b.db"].map((name) => {
    const dataDir = createTempFolder();
    writeFileSync(join(disk, name), "");
    symlinkSync(join(disk, name), join(dataDir, "deskbell.db"));
    return readConfig({ dataDir }, {});
  });
  saveOwnEpoch(first!, 3);
  expect([first!, second!].map(readOwnEpoch)).toEqual([3, 0]);
});
