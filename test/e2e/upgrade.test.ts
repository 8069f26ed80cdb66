import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGuide } from "../../src/platform/assets.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { readFileOfVersion02, readResponsesOfVersion02 } from "../support/old-database.ts";
import { patient } from "../support/patience.ts";
import { listUpgradeCommands } from "../support/upgrade-guide.ts";

// These tests upgrade a server and its standby from version 0.2, in the order of the guide. Version
// 0.2 made the file, which has two services, a booking, and changes after `CURSOR`.

const COPY = "deskbell-20261128T103635Z.db";
const CURSOR = "3.2Btpj9PPkP";
const BUSINESS = "/v1/businesses/shop";

type Data = { data: unknown };

/** Creates a server of version 0.2 with a copy, and the data folder of its standby. */
function createMachines() {
  const [dataDir, dir] = [join(createTempFolder(), "data"), createTempFolder()];
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, "deskbell.db"), readFileOfVersion02(), { mode: 0o600 });
  copyFileSync(join(dataDir, "deskbell.db"), join(dir, COPY));
  const standby = createTerminal({ dataDir: join(createTempFolder(), "data") });
  return { dir, server: createTerminal({ dataDir }), standby };
}

test(
  "a standby of this version takes over with a copy of version 0.2, and partners find all changes",
  { timeout: patient(60_000) },
  async () => {
    const { dir, standby } = createMachines();
    const restore = `restore --latest ${dir} --fenced --untrusted --keep-added`;
    expect(readGuide("upgrading")).toContain(
      `deskbell ${restore.replace(dir, "/mnt/nas/deskbell")}`,
    );
    expect(await standby.deskbell(restore)).toMatchObject({ code: 0 });
    const daemon = spawnDaemon(standby.dataDir, "--backup-dir", dir);
    const url = await waitForUrl(daemon);
    const created = await standby.deskbell("keys create --name mirror --secret");
    const headers = { authorization: `Bearer ${created.stdout.trim()}` };
    const read = (path: string) => fetch(`${url}${BUSINESS}${path}`, { headers });
    const services = (await (await read("/services")).json()) as {
      data: { name: string; priceCents: number }[];
    };
    expect(services.data.map(({ name, priceCents }) => [name, priceCents])).toEqual([
      ["Cut", 4000],
      ["Yoga", 1300],
    ]);
    // A takeover may have lost changes, so a mirror must read everything again.
    expect((await read(`/changes?after=${CURSOR}`)).status).toBe(410);
  },
);

test(
  "cursors survive the upgrade of a standby and then of its server, and the next copy needs no --untrusted",
  { timeout: patient(60_000) },
  async () => {
    const { dir, server, standby } = createMachines();
    const [before = "", backup = "", after = ""] = listUpgradeCommands(dir);
    const untagged = await standby.deskbell(before);
    expect(untagged.stdout).toContain(`${COPY} has no authentication tag: version 0.2`);

    const daemon = spawnDaemon(server.dataDir, "--backup-dir", dir);
    const url = await waitForUrl(daemon);
    expect(daemon.output()).toContain('"migrated"');
    expect(existsSync(join(server.dataDir, "backups"))).toBe(true);
    const created = await server.deskbell("keys create --name mirror --secret");
    const headers = { authorization: `Bearer ${created.stdout.trim()}` };
    const changes = await fetch(`${url}${BUSINESS}/changes?after=${CURSOR}`, { headers });
    const page = (await changes.json()) as {
      data: { type: string }[];
      meta: { sequences: number[] };
    };
    expect([changes.status, page.meta.sequences]).toEqual([200, [4, 5, 6, 7, 8, 9, 10]]);
    expect(page.data.map(({ type }) => type)).toContain("service_price.updated");
    // A list that has new fields must not get a 304 for the ETag of version 0.2, because the client
    // would keep its old copy.
    for (const [path, { etag, body: old }] of Object.entries(readResponsesOfVersion02())) {
      const now = await fetch(`${url}${BUSINESS}${path}`, {
        headers: { ...headers, "if-none-match": etag },
      });
      if (now.status !== 304) continue;
      const { data } = (await (
        await fetch(`${url}${BUSINESS}${path}`, { headers })
      ).json()) as Data;
      expect([path, data]).toEqual([path, old.data]);
    }

    expect(await server.deskbell(backup)).toMatchObject({ code: 0 });
    mkdirSync(standby.dataDir, { recursive: true, mode: 0o700 });
    copyFileSync(join(server.dataDir, "master.key"), join(standby.dataDir, "master.key"));
    const ready = await standby.deskbell(after);
    expect(ready).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backups\tok\t/m) });
    expect(await standby.deskbell(`restore --latest ${dir} --fenced --dry-run`)).toMatchObject({
      code: 0,
    });
  },
);
