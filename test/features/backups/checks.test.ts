import { expect, test } from "vitest";
import { checkScrub } from "../../../src/features/backups/checks.ts";
import { saveBackupState } from "../../../src/features/backups/state.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { edit } from "../../support/edit-database.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("the condition for altered events names each altered event", async () => {
  const rt = createTestRuntime();
  emitEvents(rt, addBusiness(rt), "service.updated", "service.updated");
  await createBackup(rt);
  const [second = "", first = ""] = rt.store.events.list({}, 2).map(({ id }) => id);
  edit(rt, "UPDATE event SET sha256 = x'00'");
  const textsFor = (altered: string[]) => {
    const round = { startedAt: 0, finishedAt: 0, afterEvent: "", verified: [], damaged: [] };
    saveBackupState(rt.config, "scrub", { ...round, altered });
    return checkScrub(rt).map(({ text }) => text);
  };
  expect(textsFor([first])).toEqual([
    `${first} was altered in the database file: restore a backup made before that`,
  ]);
  expect(textsFor([first, second])).toEqual([
    `${first}, ${second} were altered in the database file: restore a backup made before that`,
  ]);
});
