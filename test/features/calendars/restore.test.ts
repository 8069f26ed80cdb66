import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createBackup } from "../../../src/app/operations/backups.ts";
import { restoreBackup } from "../../../src/app/operations/restore.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { createCalendar } from "../../../src/features/calendars/calendars.ts";
import { createCalendarStore } from "../../../src/features/calendars/store.ts";
import { createTempFolder } from "../../support/cli.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test.each([true, false])(
  "a restore lists a calendar that it adds, and revokes it without trust (kept: %s)",
  async (keepAdded) => {
    const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
    const business = addBusiness(rt);
    const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: true });
    rt.advance(60_000);
    const { path } = await createBackup(rt);
    rt.close();
    for (const [file, sql] of [
      [rt.config.databasePath, "DELETE FROM calendar"],
      // The tag of the backup no longer fits.
      [path, "UPDATE calendar SET created_at = created_at + 1"],
    ] as const) {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    }
    rmSync(join(path, "../SHA256SUMS"));
    const options = { now: rt.now(), confirm: async () => {}, untrusted: true, keepAdded };
    const { access } = await restoreBackup(rt.config, path, options);
    expect(access).toMatchObject([{ kind: "calendar", id: calendar.id, change: "new" }]);
    const restored = openRuntime(rt.config, 5000, { now: rt.now });
    const revokedAt = restored.openStore(createCalendarStore).findById(calendar.id)?.revokedAt;
    const [, entry] = restored.store.audit.list({}, 2);
    restored.close();
    expect(revokedAt === null).toBe(keepAdded);
    if (!keepAdded)
      expect(entry).toMatchObject({ action: "calendar.revoked", subjectId: calendar.id });
  },
);
