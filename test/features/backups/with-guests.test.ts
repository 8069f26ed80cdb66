import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { erasedGuests } from "../../../src/features/backups/with-guests.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("an erasure says that backups still have the data, and when the last nightly backup is deleted", async () => {
  const rt = createTestRuntime();
  const listNotes = () => erasedGuests.flatMap((find) => find(rt).notes);
  expect(listNotes()).toEqual([]);
  await createBackup(rt);
  expect(listNotes()).toEqual([
    "Backups, and copies made elsewhere, still contain the data, encrypted. Restoring one on this server erases it again.",
    expect.stringMatching(
      /^The last nightly one is deleted on 20\d\d-\d\d-\d\d, or later if some nights/,
    ),
  ]);
});

test("an erasure names the data that a restore replaced, and the day on which they are deleted", () => {
  const rt = createTestRuntime();
  const find = () => erasedGuests.map((read) => read(rt));
  expect(find()).toEqual([
    { fields: { backups: { nightlyUntil: null, others: [], replaced: [] } }, notes: [] },
  ]);
  const path = `${rt.config.databasePath}.before-restore-20261110T080000000Z`;
  writeFileSync(path, "");
  expect(find()).toEqual([
    {
      fields: {
        backups: { nightlyUntil: null, others: [], replaced: [{ path, deletedOn: "2026-12-10" }] },
      },
      notes: [`${path}, which a restore replaced, still has the data until 2026-12-10.`],
    },
  ]);
});
