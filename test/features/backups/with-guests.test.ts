import { expect, test } from "vitest";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { erasedGuests } from "../../../src/features/backups/with-guests.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("backups that still have the data of an erased guest are noted, with their end", async () => {
  const rt = createTestRuntime();
  const listNotes = () => erasedGuests.flatMap((find) => find(rt).notes);
  expect(listNotes()).toEqual([]);
  await createBackup(rt);
  expect(listNotes()).toEqual([
    "Backups, and copies made elsewhere, still contain the data, encrypted. Restoring one on this server erases it again.",
    expect.stringMatching(/^The last nightly one is deleted on 20\d\d-\d\d-\d\d\.$/),
  ]);
});
