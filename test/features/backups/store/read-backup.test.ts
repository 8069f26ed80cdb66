import { expect, test } from "vitest";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { countRows } from "../../../../src/features/backups/store/read-backup.ts";
import { addBusiness, subscribe } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

test("the rows of a backup are counted in each table that its version has", async () => {
  const rt = createTestRuntime();
  await subscribe(rt, addBusiness(rt, "first"), "http://10.0.0.1/");
  addBusiness(rt, "second");
  const { path } = await createBackup(rt);
  const tables = ["business", "endpoint", "api_key", "table_of_a_later_version"];
  expect(countRows(path, tables)).toEqual({ business: 2, endpoint: 1, api_key: 0 });
});
