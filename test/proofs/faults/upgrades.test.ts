import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { generateApiKey, hashApiKey } from "../../../src/domain/api-key.ts";
import { catalogId } from "../../../src/domain/ids.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { FineMirror, type Read, type Reply, ROUTES } from "../../support/documented-mirror.ts";
import { SimpleMirror } from "../../support/documented-simple-mirror.ts";
import {
  readFileOfVersion02,
  readResponsesOfVersion02,
  writeFileOfFirstSchema,
} from "../../support/old-database.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { WAITS } from "../../support/waits.ts";
import { listBookings, type Server, startClients } from "../support/booking-clients.ts";
import { listUpgradeCommands } from "../../support/upgrade-guide.ts";

// A server and its standby are upgraded in the order of the guide, the standby first. Meanwhile,
// clients book and repeat what fails, an editor changes prices, a reader follows the feed, and two
// mirrors that have read all lists from version 0.2 go on with their cursors. Then the standby takes over.

const UPGRADES = chooseScale(1, 20);
const SEED = chooseSeed(17);
const KILLED_SHARE = 0.5;
const COMMAND_MS = patient(90_000);
const SLUG = "shop";
const SECRET = generateApiKey("SECRET", randomBytes);
/** The name of the copy that the old server made last. */
const COPY = "deskbell-20261128T103635Z.db";
const RETRY_MS = 20;

/** Creates the data of an old server with a copy in `dir`, and the data folder of its standby. */
function createMachines(isFirstSchema: boolean) {
  const [dataDir, other, dir] = [1, 2, 3].map(() => join(createTempFolder(), "data")) as [
    string,
    string,
    string,
  ];
  for (const folder of [dataDir, other, dir]) mkdirSync(folder, { mode: 0o700 });
  const path = join(dataDir, "deskbell.db");
  if (isFirstSchema) writeFileOfFirstSchema(path);
  else writeFileSync(path, readFileOfVersion02(), { mode: 0o600 });
  const db = new Database(path);
  db.prepare("UPDATE api_key_secret SET hash = ?").run(hashApiKey(SECRET));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  copyFileSync(path, join(dir, COPY));
  return { dir, server: createTerminal({ dataDir }), standby: createTerminal({ dataDir: other }) };
}

/**
 * Returns a function that sends a GET. Recorded responses of version 0.2 answer it until a server
 * of this version runs.
 */
const createRead =
  (current: () => Server | undefined, old: Record<string, Reply>): Read =>
  async (path, etag) => {
    for (;;) {
      const server = current();
      if (server === undefined) return old[path] ?? { ...old["/changes?after=latest"]! };
      const headers = {
        authorization: `Bearer ${SECRET}`,
        ...(etag !== undefined && { "if-none-match": etag }),
      };
      const url = `${server.url}/v1/businesses/${SLUG}${path}`;
      const response = await fetch(url, { headers }).catch(() => undefined);
      if (response !== undefined && [200, 304].includes(response.status)) {
        const text = await response.text();
        return {
          status: response.status,
          body: text === "" ? null : JSON.parse(text),
          etag: response.headers.get("etag") ?? "",
          sequence: Number(response.headers.get("x-service-sequence")),
        };
      }
      expect([path, response?.status]).toEqual([path, expect.toBeOneOf([undefined, 503])]);
      await delay(RETRY_MS);
    }
  };

/** Upgrades a server and its standby, and returns what was lost, doubled, or shown wrongly. */
async function upgradeOnce(isFirstSchema: boolean, isKilled: boolean) {
  const { dir, server, standby } = createMachines(isFirstSchema);
  let current: Server | undefined;
  const old = readResponsesOfVersion02();
  const read = createRead(() => current, old);
  const [fine, simple] = [new FineMirror(read), new SimpleMirror(read)];
  // The mirror of the control forgets its cursor, and goes on with the newest one.
  const careless = new FineMirror((path, etag) =>
    read(path.replace(/after=[^&]+/, "after=latest"), etag),
  );
  for (const mirror of [fine, simple, careless]) await mirror.start();

  const nowhere = { url: "http://127.0.0.1:9", dataDir: server.dataDir } as Server;
  const serviceId = catalogId("svc", SLUG, "yoga");
  const shop = { slug: SLUG, secret: SECRET, serviceId, bookers: 2 };
  const clients = startClients(shop, () => current ?? nowhere);
  const { booked, faults, counts } = clients;
  // The edits wait, because a command of this version would upgrade the data too early.
  await clients.pauseEdits();
  const waitForWork = async (): Promise<void> => {
    const [bookings, edits] = [booked.size, counts.edits];
    await vi.waitFor(() => {
      expect(booked.size).toBeGreaterThan(bookings + 2);
      expect(counts.edits).toBeGreaterThan(edits + 1);
    }, WAITS);
  };
  const run = async (on: typeof server, line: string): Promise<void> => {
    const { code, stdout, stderr } = await on.deskbell(line);
    expect(code, `${line}: ${stdout}${stderr}`).toBe(0);
  };
  const start = async ({ dataDir }: typeof server): Promise<Server> => {
    const daemon = spawnDaemon(dataDir, "--allow-http", "--backup-dir", dir);
    return { dataDir, daemon, url: await waitForUrl(daemon, COMMAND_MS) };
  };

  const [before = "", backup = "", after = ""] = listUpgradeCommands(dir);
  expect((await standby.deskbell(before)).stdout).toContain(`${COPY} has no authentication tag`);
  // The upgrade from the first schema takes the scopes for bookings from keys that could not book.
  // This command gives them back.
  await run(server, "keys update site --max-bookings-day 1000000 --all-scopes yes");
  current = await start(server);
  clients.resumeEdits();
  await waitForWork();
  for (const mirror of [fine, simple]) await mirror.catchUp();
  if (isKilled) {
    current.daemon.child.kill("SIGKILL");
    await current.daemon.waitForExit();
    current = await start(server);
    await waitForWork();
  }
  await run(server, backup);
  copyFileSync(join(server.dataDir, "master.key"), join(standby.dataDir, "master.key"));
  await run(standby, after);
  await waitForWork();

  await clients.pauseEdits();
  await run(server, `handover --to ${dir}`);
  expect(await current.daemon.waitForExit(COMMAND_MS)).toMatchObject({ code: 0 });
  await run(standby, `restore --latest ${dir} --yes`);
  current = await start(standby);
  clients.resumeEdits();
  await waitForWork();
  await clients.repeat();
  await clients.stop();

  for (const mirror of [fine, simple, careless]) await mirror.catchUp();
  const differences: unknown[] = [];
  let [noticed, lists] = [0, 0];
  const compare = async (routes: readonly string[]): Promise<void> => {
    for (const route of routes) {
      const { data } = (await read(ROUTES[route] ?? "")).body;
      const now = Date.now();
      for (const shown of [fine.show(route, now), simple.show(route)])
        if (!isDeepStrictEqual(shown, data)) differences.push({ route, shown, data });
      if (!isDeepStrictEqual(careless.show(route, now), data)) noticed += 1;
      lists += 2;
    }
  };
  // Events tell of everything but fields that the upgrade has added, so the mirrors read the lists
  // again, as a client does every hour.
  await compare(Object.keys(ROUTES).filter((route) => route !== "profile"));
  for (const route of Object.keys(ROUTES)) await fine.readList(route);
  await simple.readAgain();
  await compare(Object.keys(ROUTES));
  const stored = listBookings(standby.dataDir);
  const atOnce = isFirstSchema ? 0 : 1;
  return {
    faults,
    differences,
    noticed,
    lists,
    lost: [...booked.values()].filter((id) => !stored.includes(id)).length,
    double: stored.length - atOnce - new Set(booked.values()).size,
    bookings: booked.size,
    edits: counts.edits,
  };
}

test(
  `${UPGRADES} upgrades of a server and its standby lose nothing, and mirrors of version 0.2 are right in the end`,
  { timeout: patient(60_000 + UPGRADES * 60_000) },
  async () => {
    const random = createSeededRandom(SEED);
    let [bookings, edits, lists, noticed, kills] = [0, 0, 0, 0, 0];
    for (let i = 0; i < UPGRADES; i++) {
      const isKilled = random.chance(KILLED_SHARE);
      const result = await upgradeOnce(i % 2 === 0, isKilled);
      expect(result).toMatchObject({ differences: [], lost: 0, double: 0 });
      expect(result.faults).toEqual({
        older: 0,
        expired: 0,
        skipped: 0,
        changedReplies: 0,
        endless: 0,
      });
      expect(result.noticed).toBeGreaterThan(0);
      bookings += result.bookings;
      edits += result.edits;
      lists += result.lists;
      noticed += result.noticed;
      kills += isKilled ? 1 : 0;
    }
    if (!isRecording()) return;
    recordClaim({
      group: "faults",
      claim:
        "An upgrade in the order of the guide loses nothing, and mirrors that began with version 0.2 are right in the end",
      done: `A server and its standby were upgraded ${UPGRADES} times, in turns from a file of the first schema and from one of version 0.2, while clients booked, prices changed and a reader followed the feed; ${kills} servers were killed after the upgrade. Then the standby took over.`,
      figure: `All ${bookings} acknowledged bookings were kept after ${edits} edits; no event was skipped, no cursor expired, no older price was seen, and none of ${lists} lists of the mirrors differed.`,
      control: {
        done: "A mirror forgot its cursor of version 0.2 and went on with the newest one.",
        figure: `${noticed} of its lists differed.`,
        hasFailed: noticed > 0,
      },
      seed: SEED,
    });
  },
);
