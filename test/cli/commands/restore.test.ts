import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../support/cli.ts";

/** A seeded box with a backup, after which a price has changed. */
async function changedSinceBackup() {
  const dataDir = join(createTempFolder(), "my-box");
  const { deskbell } = createTerminal({ dataDir });
  await deskbell("seed salon");
  const { path } = (
    JSON.parse((await deskbell("backup --json")).stdout) as { data: { path: string } }
  ).data;
  await deskbell("services set cut --price 91.00");
  return { dataDir, path, deskbell, atTerminal: createTerminal({ dataDir, isTTY: true }).deskbell };
}

test("a restore has the name of the data folder typed, and says what became of what was there", async () => {
  const { dataDir, path, deskbell, atTerminal } = await changedSinceBackup();
  const { code, stderr } = await atTerminal(`restore ${path}`, "my-box\n");
  expect(code).toBe(0);
  expect(stderr).toContain(`Restoring over ${dataDir} cannot be undone. Type my-box to go on: `);
  expect(stderr).toContain(
    `The data are those of ${path}. Those that were there are in ${dataDir}/deskbell.db.before-`,
  );
  expect(stderr).toContain("Partners are told to read everything again");
  expect((await deskbell("services show cut")).stdout).not.toContain("priceCents\t9100");
});

test.each(["another-box\n", "\n", "y\n", "MY-BOX\n"])(
  "%j typed instead changes nothing",
  async (typed) => {
    const { dataDir, path, deskbell, atTerminal } = await changedSinceBackup();
    expect(await atTerminal(`restore ${path}`, typed)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("That was not the name; nothing was changed."),
    });
    expect((await deskbell("services show cut")).stdout).toContain("priceCents\t9100");
    expect(readdirSync(dataDir).filter((name) => name.includes("restor"))).toEqual([]);
  },
);

test("a script has to say --yes, and --no-input is never asked", async () => {
  const { path, deskbell, atTerminal } = await changedSinceBackup();
  const needsYes = {
    code: 2,
    stderr: expect.stringMatching(/needs a confirmation\.\nfix: add --yes/),
  };
  expect(await deskbell(`restore ${path}`)).toMatchObject(needsYes);
  expect(await atTerminal(`restore ${path} --no-input`)).toMatchObject(needsYes);
  expect(await deskbell(`restore ${path} --yes`)).toMatchObject({ code: 0 });
  expect((await deskbell("backup list")).stdout).toContain(basename(path));
});
