import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createMemoryStorage,
  createMirror,
  createClient,
  type DeskbellClient,
  type MirrorList,
} from "../../../src/client/index.ts";
import { recordClaim } from "../../support/claims.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { Draw } from "../../support/documented-catalog.ts";
import { fetchAgain } from "../../support/fetch-again.ts";
import { EditedBusiness } from "../../support/documented-edits.ts";
import { ROUTES } from "../../support/documented-mirror.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { startLossyGate } from "../support/lossy-gate.ts";
import { startPartner } from "../support/mirror-partner.ts";

// A partner keeps a mirror with `createMirror`, while the owner edits, the daemon is killed and
// restored, secrets are rotated and webhooks are lost. DESKBELL_MIRROR_EDITS sets the number of
// edits of each business.

const SEED = chooseSeed(31);
const { ROUNDS, EDITS, IS_FULL } = chooseScale(
  { ROUNDS: 4, EDITS: 3, IS_FULL: false },
  { ROUNDS: 120, EDITS: 8, IS_FULL: true },
  { ROUNDS: 10, EDITS: 5, IS_FULL: true },
);
const WANTED_EDITS = Number(process.env["DESKBELL_MIRROR_EDITS"] ?? Infinity);
const SLUGS = ["salon-aurora", "cafe-lumen", "kita-live"];
const LISTS = Object.keys(ROUTES) as MirrorList[];
/** The clients get a fixed address, because the daemon has another port after each start. */
const ADDRESS = "http://desk.test";
const LIMITS = "--limit-minute 1000000 --limit-hour 1000000";

/**
 * Returns a client with a bug: it ignores the lists that events tell a mirror to read again
 * (`refetch`).
 */
const ignoreRefetch = (client: DeskbellClient): DeskbellClient => ({
  ...client,
  listChanges: ((args) =>
    client.listChanges(args).then((page) => {
      for (const { type, data } of page.data)
        if (type === "catalog.changed") (data.object as { refetch: object[] }).refetch = [];
      return page;
    })) as DeskbellClient["listChanges"],
});

/** Starts the daemon with all sample businesses, of which one is edited. */
async function setUp(slug: string, draw: Draw) {
  const { dataDir, deskbell } = createTerminal();
  const run = async (line: string): Promise<string> => {
    const result = await deskbell(line);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };
  await run("seed all");
  const start = () => spawnDaemon(dataDir, "--allow-http", "--allow-private", "127.0.0.0/8");
  let daemon = start();
  const folder = createTempFolder();
  const place = { deskbell, folder, url: await waitForUrl(daemon), draw, slug };
  const business = await EditedBusiness.open(place);
  const stop = async (signal: "SIGKILL" | "SIGTERM") => {
    daemon.child.kill(signal);
    await daemon.waitForExit();
  };
  const startAgain = async () => {
    daemon = start();
    place.url = await waitForUrl(daemon);
  };
  const key = await run(
    `keys create --business ${slug} --name partner --scope services.read --scope webhooks.read ${LIMITS}`,
  );
  const options = {
    baseUrl: ADDRESS,
    business: slug,
    key,
    retries: 0,
    fetch: (url: Parameters<typeof fetch>[0], init?: RequestInit) =>
      fetchAgain(String(url).replace(ADDRESS, place.url), init),
  };
  return { deskbell, run, business, options, folder, stop, startAgain };
}

/** The partner's program, which can be stopped and started again. */
function runPartner(
  options: Parameters<typeof startPartner>[0],
  secrets: string[],
  folder: string,
) {
  const file = join(folder, "mirror.db");
  let running = startPartner(options, secrets, file);
  /** Stops the program as a kill would: what it has not stored yet is lost. */
  const stop = () => {
    running.server.closeAllConnections();
    running.server.close();
    running.db.close();
  };
  onTestFinished(stop);
  return {
    mirror: () => running.mirror,
    url: () => `http://127.0.0.1:${(running.server.address() as AddressInfo | null)?.port}/`,
    startAgain: () => {
      stop();
      running = startPartner(options, secrets, file);
    },
  };
}

type Counts = Record<
  | "edits"
  | "kills"
  | "restores"
  | "rotations"
  | "starts"
  | "lists"
  | "stale"
  | "noticed"
  | "passed"
  | "lost",
  number
>;

/** Edits a business in rounds, and compares the partner's mirror with the lists after each. */
async function follow(slug: string, draw: Draw, counts: Counts): Promise<void> {
  const { deskbell, run, business, options, folder, stop, startAgain } = await setUp(slug, draw);
  const secrets: string[] = [];
  const partner = runPartner(options, secrets, folder);
  const gate = await startLossyGate(draw, partner.url);
  const endpoint = `--name partner --url ${gate.url} --allow-private --event all --business ${slug}`;
  secrets.push(/whsec_\S+/.exec(await run(`webhooks create ${endpoint}`))?.[0] ?? "");
  await partner.mirror().sync();
  const careless = createMirror({
    client: ignoreRefetch(createClient(options)),
    storage: createMemoryStorage(),
    intervalSeconds: 0,
  });
  await careless.sync();

  const differing = async (mirror: typeof careless): Promise<string[]> => {
    const different: string[] = [];
    for (const list of LISTS) {
      const { data } = (await business.read(ROUTES[list] ?? "")).body;
      const copy: unknown = JSON.parse(JSON.stringify(await mirror.read(list)));
      if (!isDeepStrictEqual(copy, data)) different.push(list);
    }
    return different;
  };
  const backUp = async (): Promise<string> =>
    (JSON.parse(await run("backup create --json")) as { data: { path: string } }).data.path;
  let backup = await backUp();

  const disturb = async (): Promise<void> => {
    const what = draw.int(6);
    if (what === 0) {
      counts.kills += 1;
      await stop("SIGKILL");
      // The owner can edit while nothing serves.
      await deskbell(`hours update --business ${slug} --day mon --open 1${draw.int(4)}:00-18:00`);
      await startAgain();
    } else if (what === 1) {
      counts.restores += 1;
      await stop("SIGTERM");
      await run(`restore ${backup} --yes`);
      await startAgain();
      backup = await backUp();
    } else if (what === 2) {
      counts.rotations += 1;
      const rotated = await run(`webhooks rotate-secret partner --force --business ${slug}`);
      secrets.push(/whsec_\S+/.exec(rotated)?.[0] ?? "");
    } else if (what === 3) {
      counts.starts += 1;
      partner.startAgain();
    } else if (what === 4) backup = await backUp();
  };

  const editsBefore = counts.edits;
  for (let round = 0; round < ROUNDS && business.edits < WANTED_EDITS; round++) {
    for (let edit = 0; edit < EDITS; edit++) {
      await business.edit();
      if (draw.chance(25)) await disturb();
    }
    // The partner's program also reads once an hour, because webhooks may be lost.
    await partner.mirror().sync();
    // The number of tickets left is sent at most once in ten seconds for each event.
    const isTicketNumber = async (): Promise<void> => {
      await partner.mirror().sync();
      expect(await differing(partner.mirror())).toEqual([]);
    };
    const stale = await differing(partner.mirror());
    if (stale.length === 1 && stale[0] === "events/catalog")
      await vi.waitFor(isTicketNumber, { timeout: patient(20_000), interval: 500 });
    else if (stale.length > 0) counts.stale += stale.length;
    expect(
      stale.filter((list) => list !== "events/catalog"),
      `${slug}, round ${round}`,
    ).toEqual([]);
    await careless.sync();
    counts.noticed += (await differing(careless)).length;
    counts.lists += LISTS.length;
    counts.edits = editsBefore + business.edits;
  }
  counts.passed += gate.counts.passed;
  counts.lost += gate.counts.lost;
}

test(
  "a partner's mirror, a program of 30 lines, equals the lists after kills, restores and lost webhooks",
  { timeout: 3_600_000 },
  async () => {
    const program = readFileSync(new URL("../support/mirror-partner.ts", import.meta.url), "utf8");
    expect(program.split("\n").length - 1).toBeLessThanOrEqual(30);
    const draw = new Draw(createRandomInt(SEED));
    const counts: Counts = {
      edits: 0,
      kills: 0,
      restores: 0,
      rotations: 0,
      starts: 0,
      lists: 0,
      stale: 0,
      noticed: 0,
      passed: 0,
      lost: 0,
    };
    for (const slug of IS_FULL ? SLUGS : SLUGS.slice(0, 1)) await follow(slug, draw, counts);
    expect(counts.stale).toBe(0);
    expect(counts.passed).toBeGreaterThan(0);
    recordClaim({
      group: "simulate",
      claim: "A partner's mirror of 30 lines with the client never stays stale",
      done: `${counts.edits} random changes of ${SLUGS.length} businesses were made by file and command, while the daemon was killed ${counts.kills} times and restored ${counts.restores} times, the signing secret rotated ${counts.rotations} times, the partner's program started again ${counts.starts} times, and ${counts.lost} of ${counts.lost + counts.passed} webhooks lost.`,
      figure: `${counts.lists} lists were compared, and ${counts.stale} differed.`,
      control: {
        done: "A mirror ignored which lists the events say to read again.",
        figure: `${counts.noticed} of its lists differed.`,
        hasFailed: counts.noticed > 0,
      },
      seed: SEED,
    });
  },
);
