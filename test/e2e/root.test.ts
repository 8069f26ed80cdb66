import { chmodSync, chownSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram } from "../support/cli.ts";
import { createSeededSalon } from "../support/daemon.ts";

const OTHER_USER = 65_534;

/** Returns the owner of each file below a folder. */
const listOwners = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => ({ name, uid: statSync(join(folder, name)).uid }));

/** Creates data, a backup and a master key that belong to another user. */
async function createForeignData(): Promise<string> {
  const { dataDir, deskbell } = await createSeededSalon();
  await deskbell(
    "webhooks",
    "create",
    "--name",
    "a",
    "--url",
    "http://127.0.0.1:9/",
    "--event",
    "all",
    "--allow-private",
  );
  await deskbell("backup");
  const entries = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
    join(dataDir, name),
  );
  for (const path of [dirname(dataDir), dataDir, ...entries])
    chownSync(path, OTHER_USER, OTHER_USER);
  return dataDir;
}

// These tests need root, because they change the owners of files.
describe.skipIf(process.getuid?.() !== 0)("root with data of another user", () => {
  test("root is refused with exit code 4 and a fix by every command on data of another user, and creates no file", async () => {
    const dataDir = await createForeignData();
    const before = listOwners(dataDir);
    for (const line of [
      "status",
      "serve --port 0",
      "backup",
      "backup list",
      "keys list",
      "seed salon --overwrite",
    ])
      expect(await runProgram([...line.split(" "), "--data-dir", dataDir])).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringMatching(
          /^error: The data in .* belongs to user 65534, .*\nfix: .*sudo -u '#65534' \S/,
        ),
      });
    expect(listOwners(dataDir)).toEqual(before);
  });

  test("root is refused on another user's data even if root owns the folder", async () => {
    const dataDir = await createForeignData();
    chownSync(dataDir, 0, 0);
    expect(await runProgram(["status", "--data-dir", dataDir])).toMatchObject({ code: 4 });
  });

  test("commands that the owner of the data runs succeed, and all files keep their owner", async () => {
    const dataDir = await createForeignData();
    const asOwner = { uid: OTHER_USER, gid: OTHER_USER };
    for (const line of ["status", "backup", "keys create --name a --scope services.read"])
      expect(
        (await runProgram([...line.split(" "), "--data-dir", dataDir], asOwner)).stderr,
      ).not.toContain("error");
    expect(new Set(listOwners(dataDir).map(({ uid }) => uid))).toEqual(new Set([OTHER_USER]));
  });

  test("status says that this user cannot read the data folder, and not that the folder is empty", async () => {
    const { dataDir } = await createSeededSalon();
    chmodSync(dirname(dataDir), 0o755);
    chmodSync(dataDir, 0o700);
    expect(
      await runProgram(["status", "--data-dir", dataDir], { uid: OTHER_USER, gid: OTHER_USER }),
    ).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^error: This user cannot read the data in .*\.\nfix: .*sudo -u '#0' \S/,
      ),
    });
  });

  test("doctor reports a data folder in which SQLite cannot create the files that it needs for reading", async () => {
    const dataDir = await createForeignData();
    for (const name of readdirSync(dataDir).filter((name) => /-(?:wal|shm)$/.test(name)))
      rmSync(join(dataDir, name));
    chmodSync(dataDir, 0o500);
    expect(
      await runProgram(["doctor", "--data-dir", dataDir], { uid: OTHER_USER, gid: OTHER_USER }),
    ).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(
        /^database\twrong\tCannot read \/.*deskbell\.db\.\tcheck the owner and mode/m,
      ),
    });
  });
});
