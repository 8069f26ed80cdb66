import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { restoreBackup } from "../../../../src/features/backups/restore/restore.ts";
import { addFeature } from "../../../support/added-feature.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { edit } from "../../../support/edit-database.ts";
import { readValue } from "../../../support/old-database.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

test.each([
  { backup: "the last backup of a handover", isComplete: true, kept: true },
  { backup: "an earlier backup", isComplete: false, kept: false },
])(
  "a restore of $backup keeps the cursors of partners and what emptiedByRestore lists: $kept",
  async ({ isComplete, kept }) => {
    addFeature({ name: "forgetful", emptiedByRestore: ["alert_state"] });
    const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
    addBusiness(rt);
    edit(rt, "INSERT INTO alert_state (kind, key, value) VALUES ('open', 'full', '{}')");
    const { path } = await createBackup(rt);
    rt.close();
    const read = () =>
      ["SELECT feed_id FROM server", "SELECT count(*) FROM alert_state"].map((sql) =>
        readValue(rt.config.databasePath, sql),
      );
    const [feedId] = read();
    await restoreBackup(rt.config, path, { now: rt.now(), confirm: async () => {}, isComplete });
    const restored = read();
    expect([restored[0] === feedId, restored[1]]).toEqual([kept, kept ? 1 : 0]);
  },
);
