import { chmodSync, chownSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram } from "../support/cli.ts";
import { createSeededSalon } from "../support/daemon.ts";

const NOBODY = 65_534;

/** Who owns each file below a folder. */
const ownersIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => ({ name, uid: statSync(join(folder, name)).uid }));

/** A box that belongs to nobody: data, a backup and a master key. */
async function nobodysBox(): Promise<string> {
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
  for (const path of [dirname(dataDir), dataDir, ...entries]) chownSync(path, NOBODY, NOBODY);
  return dataDir;
}

// Only root can meet this: run the suite as root to have it tested.
describe.skipIf(process.getuid?.() !== 0)("as root on the data of another,", () => {
  test("whatever would open the data is refused with 4 and how to go about it, and leaves no file", async () => {
    const dataDir = await nobodysBox();
    const before = ownersIn(dataDir);
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
    expect(ownersIn(dataDir)).toEqual(before);
  });

  test("data in a folder of root's that belong to another are refused as well", async () => {
    const dataDir = await nobodysBox();
    chownSync(dataDir, 0, 0);
    expect(await runProgram(["status", "--data-dir", dataDir])).toMatchObject({ code: 4 });
  });

  test("what the refusal says works: the owner does it, and every file is the owner's", async () => {
    const dataDir = await nobodysBox();
    const asNobody = { uid: NOBODY, gid: NOBODY };
    for (const line of ["status", "backup", "keys create --name a --scope services.read"])
      expect(
        (await runProgram([...line.split(" "), "--data-dir", dataDir], asNobody)).stderr,
      ).not.toContain("error");
    expect(new Set(ownersIn(dataDir).map(({ uid }) => uid))).toEqual(new Set([NOBODY]));
  });

  test("a folder that is closed to this user is told as that, and not as one without data", async () => {
    const { dataDir } = await createSeededSalon();
    chmodSync(dirname(dataDir), 0o755);
    chmodSync(dataDir, 0o700);
    expect(
      await runProgram(["status", "--data-dir", dataDir], { uid: NOBODY, gid: NOBODY }),
    ).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^error: This user cannot read the data in .*\.\nfix: .*sudo -u '#0' \S/,
      ),
    });
  });

  test("doctor finds a folder that its owner cannot write in, where SQLite must put files to read at all", async () => {
    const dataDir = await nobodysBox();
    for (const name of readdirSync(dataDir).filter((name) => /-(?:wal|shm)$/.test(name)))
      rmSync(join(dataDir, name));
    chmodSync(dataDir, 0o500);
    expect(
      await runProgram(["doctor", "--data-dir", dataDir], { uid: NOBODY, gid: NOBODY }),
    ).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(
        /^database\twrong\t\/.*deskbell\.db cannot be read\.\tcheck the owner and mode/m,
      ),
    });
  });
});
