import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { createSafeguard } from "../../src/store/safeguard.ts";
import { createTempFolder } from "../support/cli.ts";

test.skipIf(process.platform !== "linux")(
  "a database that was deleted under a process can be opened once the file is put back",
  () => {
    const config = readConfig({ dataDir: createTempFolder() }, {});
    const { databasePath: path } = config;
    const safeguard = createSafeguard(config, { now: () => 0, random: randomBytes }, false, []);
    const file = openSync(path, "w");
    onTestFinished(() => closeSync(file));
    rmSync(path);
    expect(() => safeguard.assertNoDataLoss()).toThrow(
      `${path} was deleted while process ${process.pid} uses it`,
    );
    writeFileSync(path, "data");
    expect(() => safeguard.assertNoDataLoss()).not.toThrow();
  },
);
