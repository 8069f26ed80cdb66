import { copyFileSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { readGuide } from "../../src/assets.ts";
import { listBackups } from "../../src/app/operations/backups.ts";
import { readConfig } from "../../src/config.ts";
import { createTempFolder, runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";

// The commands of "Split a server" in the guide, on two machines.

/** Returns the blocks of the section, with the folders of this test. */
function blocksOfGuide(folders: Record<"east" | "west", string>): string[][] {
  const [section = ""] = (
    readGuide("more-than-one-machine").split("### Split a server\n")[1] ?? ""
  ).split("\n## ");
  return [...section.matchAll(/```sh\n([^`]+)```/g)].map(([, block = ""]) =>
    block
      .trim()
      .split("\n")
      .map((line) =>
        line
          .replace(/^deskbell /, "")
          .replace("/mnt/nas/east", folders.east)
          .replace("/mnt/nas/west", folders.west),
      ),
  );
}

const runOn =
  (dataDir: string) =>
  async (line: string): Promise<string> => {
    const result = await runProgram([...line.split(" "), "--data-dir", dataDir]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };

const start = async (dataDir: string, line: string) => {
  const daemon = spawnDaemon(dataDir, ...line.split(" ").slice(1));
  const url = await waitForUrl(daemon);
  const stop = async () => {
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  };
  return { url, stop };
};

const read = (url: string, key: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${key}` } });

test(
  "a server is split as the guide says: keys and cursors stay, and no backup revives a business",
  { timeout: 120_000 },
  async () => {
    const folders = { east: createTempFolder(), west: createTempFolder() };
    const [onWest = [], onEast = [], [serveEast = "", serveWest = ""] = []] =
      blocksOfGuide(folders);
    const { dataDir: east } = await createSeededSalon();
    const west = createTempFolder();
    const [runEast, runWest] = [runOn(east), runOn(west)];
    await runEast("seed restaurant");
    const createKey = (business: string) =>
      runEast(
        `keys create --business ${business} --name site --scope services.read --scope webhooks.read`,
      );
    const [salonKey, cafeKey] = [await createKey("salon-aurora"), await createKey("cafe-lumen")];
    await runEast(
      "webhooks create --business cafe-lumen --name till --url http://127.0.0.1:9/ --allow-private --event all",
    );
    const before = await start(east, serveEast);
    const changes = `/v1/businesses/cafe-lumen/changes`;
    const page = (await (await read(`${before.url}${changes}`, cafeKey)).json()) as {
      page: { nextCursor: string };
    };
    await before.stop();
    const [beforeSplit] = listBackups(readConfig({ dataDir: east }, {}));

    copyFileSync(join(east, "master.key"), join(west, "master.key"));
    for (const line of onWest) await runWest(line);
    for (const line of onEast) await runEast(line);
    const keys = [east, west].map((folder) => readFileSync(join(folder, "master.key"), "utf8"));
    expect(new Set(keys).size).toBe(2);
    const servers = [await start(east, serveEast), await start(west, serveWest)] as const;
    const [{ url: eastUrl }, { url: westUrl }] = servers;
    expect((await read(`${westUrl}${changes}?after=${page.page.nextCursor}`, cafeKey)).status).toBe(
      200,
    );
    expect((await read(`${westUrl}/v1/businesses/salon-aurora/services`, salonKey)).status).toBe(
      401,
    );
    expect((await read(`${eastUrl}/v1/businesses/salon-aurora/services`, salonKey)).status).toBe(
      200,
    );
    expect((await read(`${eastUrl}${changes}`, cafeKey)).status).toBe(401);
    const ids = Object.values(folders).map((folder) =>
      readFileSync(join(folder, "server-id"), "utf8"),
    );
    expect(new Set(ids).size).toBe(2);
    for (const { stop } of servers) await stop();

    // The older backup is restored on the same machine, and on a standby that has the new master key
    // and the folder of the copies.
    const name = basename(beforeSplit?.path ?? "");
    const standby = createTempFolder();
    copyFileSync(join(east, "master.key"), join(standby, "master.key"));
    for (const [dataDir, folder] of [
      [east, join(east, "backups")],
      [standby, folders.east],
    ] as const) {
      await runOn(dataDir)(`restore ${join(folder, name)} --yes`);
      const restored = await start(dataDir, serveEast);
      const list = JSON.parse(await runOn(dataDir)("businesses list --json"));
      expect(list.data.map(({ slug }: { slug: string }) => slug)).toEqual(["salon-aurora"]);
      await restored.stop();
    }
  },
);
