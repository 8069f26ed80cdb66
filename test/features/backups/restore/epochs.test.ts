import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Config, readConfig } from "../../../../src/config.ts";
import { saveOwnEpoch } from "../../../../src/features/backups/own-epoch.ts";
import { assertNotTakenOver } from "../../../../src/features/backups/restore/epochs.ts";
import { createEpoch } from "../../../../src/features/backups/restore/new-epoch.ts";
import { createTempFolder } from "../../../support/cli.ts";

test("an interrupted takeover stops both servers, until the server that has the restored data completes it", () => {
  const dir = createTempFolder();
  const [replaced, next] = [createTempFolder(), createTempFolder()].map((dataDir) =>
    readConfig({ dataDir }, {}),
  ) as [Config, Config];
  const { epoch } = createEpoch(next, dir, Date.parse("2026-11-20T12:00:00Z"), {
    epoch: 0,
    isLast: false,
  });
  for (const config of [replaced, next])
    expect(() => assertNotTakenOver(config, dir)).toThrow(
      expect.objectContaining({
        code: "state_refuses",
        message: expect.stringContaining(
          "A takeover was interrupted before its end (takeover begun",
        ),
        fix: expect.stringMatching(/^to finish it, /),
      }),
    );
  // The takeover was killed after its data were in place, and before it recorded that.
  saveOwnEpoch(next, epoch);
  assertNotTakenOver(next, dir);
  expect(readFileSync(join(dir, "epoch-1"), "utf8")).toMatch(/^taken over at 2026-11-20T12:00:00Z/);
  expect(() => assertNotTakenOver(replaced, dir)).toThrow("Another server has taken over");
});
