import { join } from "node:path";
import { expect, test } from "vitest";
import type { Config } from "../../src/config.ts";
import { createBackup } from "../../src/features/backups/backups.ts";
import { planRestore, restoreBackup } from "../../src/features/backups/restore/restore.ts";
import { deletePartner } from "../../src/features/partners/partners.ts";
import { createFuturePartnerStore } from "../../src/features/partners/store.ts";
import { updatePartner } from "../../src/features/partners/update-partner.ts";
import { createTempFolder } from "../support/cli.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { addBusinesses, createTestPartner } from "../features/partners/partners/support.ts";

const createServer = () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const businesses = addBusinesses(rt, ["one"]);
  const { partner } = createTestPartner(rt, businesses, { coversFuture: true });
  createTestPartner(rt, [], { name: "rival", coversFuture: true });
  return { rt, partner };
};

/** Returns the names of the partners that get access to future businesses. */
const listFuture = ({ dataDir }: Config): string[] =>
  createTestRuntime({ dataDir })
    .openStore(createFuturePartnerStore)
    .list()
    .map(({ name }) => name);

test("a restore lists a partner whose access to future businesses it would bring back", async () => {
  const { rt, partner } = createServer();
  const { path } = await createBackup(rt);
  rt.advance(60_000);
  updatePartner(rt, partner.id, { coversFuture: false });
  rt.close();
  const { access } = await planRestore(rt.config, path, { now: rt.now() });
  expect(access).toEqual([
    { kind: "partner", id: partner.id, name: partner.name, business: null, change: "changed" },
  ]);
});

test("a restore deletes a partner again that was deleted since the backup was made", async () => {
  const { rt, partner } = createServer();
  const { path } = await createBackup(rt);
  rt.advance(60_000);
  deletePartner(rt, partner);
  rt.close();
  const options = { now: rt.now(), confirm: async () => {} };
  const { access, revoked } = await restoreBackup(rt.config, path, options);
  expect(access).toEqual([]);
  expect(revoked.map(({ kind }) => kind).toSorted()).toEqual(["key", "key", "partner"]);
  expect(listFuture(rt.config)).toEqual(["rival"]);
});
