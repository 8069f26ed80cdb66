import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { addToErasureList, readErasureCopy } from "../../src/features/backups/erasure-list.ts";
import { copyBackup } from "../../src/features/backups/copies/copies.ts";
import { createBackup, verifyBackup } from "../../src/features/backups/backups.ts";
import { readGuide } from "../../src/platform/assets.ts";
import { createTempFolder } from "../support/cli.ts";
import { addBusiness, subscribe } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

// These tests run the recipes of the guide with the programs of this machine and local folders as
// storage.

/** Returns the commands of each block below a heading of the guide. */
const readRecipe = (heading: string): string[] => {
  const [, section = ""] = readGuide("backups-and-restore").split(`\n### ${heading}\n`);
  const [recipe = ""] = section.split(/^##/m);
  return [...recipe.matchAll(/^```bash\n(.*?)^```/gms)].map(([, commands = ""]) => commands);
};

const isInstalled = (program: string): boolean =>
  spawnSync(program, ["version"]).error === undefined;

/** Creates a server whose backup command is a script of the guide. */
async function createServer(script: string) {
  const home = createTempFolder();
  for (const name of ["nas", "etc"]) mkdirSync(join(home, name));
  const inHome = (commands: string) =>
    commands
      .replaceAll("/mnt/nas", join(home, "nas"))
      .replaceAll("/etc/deskbell", join(home, "etc"));
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    RCLONE_CONFIG_OFFSITE_TYPE: "alias",
    RCLONE_CONFIG_OFFSITE_REMOTE: join(home, "nas"),
  };
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const command = join(home, "upload-backup");
  writeFileSync(command, inHome(script).replace("\n", `\n${exports.join("")}`), { mode: 0o700 });
  const rt = createTestRuntime({ backupCommand: command, backupWithKey: true });
  await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  addToErasureList(rt.config, ["bkg_1"]);
  return {
    rt,
    run: (commands: string): string =>
      execFileSync("bash", ["-e", "-c", inHome(commands)], {
        cwd: home,
        env,
        stdio: "pipe",
      }).toString(),
    restored: join(home, "restored"),
  };
}

const findFile = (folder: string, name: string): string =>
  join(
    folder,
    readdirSync(folder, { recursive: true, encoding: "utf8" }).find(
      (path) => basename(path) === name,
    ) ?? expect.fail(`no ${name}`),
  );

test.skipIf(!isInstalled("restic"))(
  "the guide's recipe for restic stores and restores a backup and its key",
  { timeout: 60_000 },
  async () => {
    const [init = "", script = "", restore = ""] = readRecipe("With restic");
    const { rt, run, restored } = await createServer(script);
    run(init);
    const { path } = await createBackup(rt);
    await copyBackup(rt, { path, bytes: 0, createdAt: rt.now() });
    expect(rt.logged.filter(({ level }) => level === "error")).toEqual([]);
    expect(run(restore)).toContain(basename(path));
    expect(await verifyBackup(findFile(restored, basename(path)))).toMatchObject({
      bytes: expect.any(Number),
    });
    expect(readErasureCopy(rt.config, dirname(findFile(restored, "erased-guests.txt")))).toEqual({
      lines: ["bkg_1"],
      facts: { server: rt.store.file.getServerId(), asOf: rt.now() },
    });
    expect(readFileSync(findFile(restored, "master.key"))).toEqual(
      readFileSync(rt.config.masterKeyPath),
    );
  },
);

test.skipIf(!isInstalled("rclone"))(
  "the guide's recipe for rclone copies the backups and gets them back",
  async () => {
    const [script = "", restore = ""] = readRecipe("With rclone");
    const { rt, run, restored } = await createServer(script);
    const { path } = await createBackup(rt);
    await copyBackup(rt, { path, bytes: 0, createdAt: rt.now() });
    expect(rt.logged.filter(({ level }) => level === "error")).toEqual([]);
    expect(run(restore)).toBe(`${basename(path)}: OK\n`);
    expect(readErasureCopy(rt.config, restored).lines).toEqual(["bkg_1"]);
    expect(await verifyBackup(join(restored, basename(path)))).toMatchObject({
      bytes: expect.any(Number),
    });
  },
);
