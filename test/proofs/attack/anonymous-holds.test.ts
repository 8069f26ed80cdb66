import { expect, onTestFinished, test } from "vitest";
import { openRuntime } from "../../../src/app/runtime.ts";
import { readConfig } from "../../../src/config.ts";
import { createSeededRandom, type SeededRandom } from "../../../src/domain/seeded-random.ts";
import { SALON } from "../../http/support/api.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { startProgram } from "../../support/cli.ts";
import { createSeededSalon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM, type Program } from "../../support/program.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { installWebsite } from "../../support/website.ts";
import {
  type Interval,
  largestShare,
  listCapacities,
  listFreeTime,
  runWithinOneDay,
} from "../support/free-time.ts";
import { OutOfPatience, patient } from "../../support/patience.ts";

// Anonymous visitors of the example website place as many holds as they can, over HTTP, while
// honest visitors book. The daemon and the website are processes of their own, and the website's
// key has the limits that the guide tells owners to set.

const ADDRESSES = chooseScale([20], [1, 20, 200], [1, 20]);
const SEED = chooseSeed(22);
const HONEST = chooseScale(10, 50);
const ATTEMPTS = 6;
const MINUTE_MS = 60_000;

type Answer = { status: number; code?: string; reference?: string; alternatives?: string[] };

const limitsOf = (minute: number, hour: number): string[] => [
  "--limit-minute",
  `${minute}`,
  "--limit-hour",
  `${hour}`,
];
const GUIDE_LIMITS = limitsOf(600, 20_000);

async function startWebsite(program: Program, limits = GUIDE_LIMITS) {
  const { dataDir, deskbell } = await createSeededSalon();
  const scopes = ["--scope", "services.read", "--scope", "bookings.write"];
  const createKey = (name: string, more: string[]) =>
    deskbell("keys", "create", "--business", SALON, "--name", name, ...scopes, ...more);
  const KEY = await createKey("website", limits);
  // The test reads with a key of its own, so that its requests do not count against the limits of
  // the website's key.
  const observer = await createKey("observer", limitsOf(1_000_000, 1_000_000));
  const base = await waitForUrl(spawnDaemonOf(program, dataDir));
  const API = `${base}/v1/businesses/${SALON}`;
  const website = startProgram([], {
    program: installWebsite(),
    env: { API, KEY, PORT: "0", TRUSTED_PROXY: "127.0.0.1" },
  });
  const [site = ""] = await website.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  onTestFinished(() => rt.close());

  const send = async (address: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(site + path, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as object;
    // A status of 5xx means that the website gave up waiting for a busy server.
    if (response.status >= 500) throw new OutOfPatience(`${path}: ${JSON.stringify(answer)}`);
    return { ...answer, status: response.status };
  };
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(API + path, { headers: { authorization: `Bearer ${observer}` } });
    const text = await response.text();
    // A busy server must not look like one without free times.
    if (response.status === 429 || response.status >= 500) throw new Error(`${path}: ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  };
  return { rt, send, read };
}

type Website = Awaited<ReturnType<typeof startWebsite>>;

/** Returns the free starts of each bookable service, from which a visitor can choose. */
async function listStarts({ read }: Website): Promise<{ service: string; startsAt: string }[]> {
  const services = await read<{ id: string; bookable: boolean }[]>("/services");
  const starts: { service: string; startsAt: string }[] = [];
  for (const { id: service } of services.filter(({ bookable }) => bookable)) {
    const { days } = await read<{ days: { slots: { startsAt: string }[] }[] }>(
      `/availability?serviceIds=${service}`,
    );
    for (const { startsAt } of days.flatMap(({ slots }) => slots))
      starts.push({ service, startsAt });
  }
  return starts;
}

/** Returns the largest share of the free time of a week that the open holds take. */
function shareOf(
  { rt }: Website,
  free: readonly Interval[],
  capacities: ReadonlyMap<string, number>,
): number {
  const business = rt.store.businesses.findBySlug(SALON);
  const held = rt.store.holds
    .listOverlapping(business?.id ?? "", Date.now(), 0, Infinity)
    .flatMap(({ segments }) => segments);
  return largestShare(held, free, capacities, Date.now());
}

const addressOf = (n: number, network: number): string => `10.${network}.${n >> 8}.${n & 255}`;

async function attack(
  website: Website,
  random: SeededRandom,
  addresses: number,
  starts: readonly object[],
): Promise<number> {
  let refused = 0;
  for (let n = 0; n < addresses; n += 1)
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { status } = await website.send(addressOf(n, 1), "/hold", random.pick(starts));
      if (status === 429) refused += 1;
    }
  return refused;
}

/**
 * Returns whether an honest visitor has booked: with a hold or, if there are too many holds,
 * without one. If a time is taken, the visitor tries one that the website offers instead.
 */
async function book(website: Website, random: SeededRandom, n: number): Promise<boolean> {
  const guest = { name: `Guest ${n}`, email: `guest${n}@example.com` };
  const address = addressOf(n, 2);
  const { services } = (await website.send(address, "/services")) as unknown as {
    services: { id: string }[];
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const service = random.pick(services).id;
    const { status: _, ...listed } = await website.send(address, `/times?service=${service}`);
    let offered = Object.values(listed) as string[];
    while (offered.length > 0) {
      const wanted = { service, startsAt: random.pick(offered) };
      const held = await website.send(address, "/hold", wanted);
      const visit = held.status === 200 ? { reference: held.reference } : wanted;
      const isFree = held.status === 200 || held.code === "too_many_holds";
      const answer = isFree ? await website.send(address, "/book", { ...visit, ...guest }) : held;
      if (answer.status === 200) return true;
      if (answer.status === 429) return false;
      offered = answer.alternatives ?? [];
    }
  }
  return false;
}

/** Lets the honest visitors book one after the other, and returns how many succeed. */
async function bookAll(website: Website, random: SeededRandom): Promise<number> {
  let booked = 0;
  for (let n = 0; n < HONEST; n += 1) if (await book(website, random, n)) booked += 1;
  return booked;
}

async function run(program: Program, addresses: number) {
  const random = createSeededRandom(SEED);
  const website = await startWebsite(program);
  const free = await listFreeTime(website.read, Date.now());
  const capacities = await listCapacities(website.read);
  const starts = await listStarts(website);
  const refused = await attack(website, random, addresses, starts);
  const before = shareOf(website, free, capacities);
  const [booked] = await Promise.all([
    bookAll(website, random),
    attack(website, random, addresses, starts),
  ]);
  return { share: Math.max(before, shareOf(website, free, capacities)), booked, refused };
}

/** Runs the attack on a server whose holds may take a whole week instead of a tenth of it. */
const runControl = () =>
  run(
    breakProgram({
      file: "src/domain/bookings/hold.ts",
      find: "MAX_WEEK_SHARE = 0.1",
      replace: "MAX_WEEK_SHARE = 1",
    }),
    200,
  );

/** The control run, which the tests with all numbers of addresses share. */
let controlRun: ReturnType<typeof runControl> | undefined;

test.each(ADDRESSES)(
  "anonymous visitors with %i addresses hold at most a tenth of a week, and honest ones can book",
  { timeout: patient(10 * MINUTE_MS) },
  async (addresses) => {
    const { share, booked, refused } = await runWithinOneDay(() => run(PROGRAM, addresses));
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(0.1);
    expect(booked).toBe(HONEST);
    expect(refused).toBeGreaterThan(0);
    if (!isRecording()) return;
    const control = await (controlRun ??= runControl());
    recordClaim({
      group: "attack",
      claim: `Anonymous visitors of a website with ${addresses} ${addresses === 1 ? "address" : "addresses"} cannot hold more than a tenth of a week's free time`,
      done: `Visitors from ${addresses === 1 ? "one address" : `${addresses} addresses`} requested ${addresses * ATTEMPTS * 2} holds from the example website, while ${HONEST} honest visitors booked.`,
      figure: `They held ${(share * 100).toFixed(1)} % of the free time of a week, and ${booked} of the ${HONEST} honest visitors booked.`,
      control: {
        done: "Visitors from 200 addresses did the same at a server without the limit of a week.",
        figure: `They held ${(control.share * 100).toFixed(1)} % of the free time of a week.`,
        hasFailed: control.share > 0.1,
      },
      seed: SEED,
    });
  },
);

const WRITES = 20;

/** Sends 20 requests per visitor. Returns how many of them the website passed on. */
async function flood(website: Website, addresses: readonly string[]): Promise<number> {
  const [service = ""] = (await website.read<{ id: string }[]>("/services")).map(({ id }) => id);
  const guest = { name: "Flood", email: "flood@example.com" };
  const visit = { service, startsAt: "2020-01-01T10:00:00Z", ...guest };
  let sent = 0;
  for (let write = 0; write < WRITES; write += 1)
    for (const address of addresses) {
      const { code } = await website.send(address, "/book", visit);
      if (code !== "too_many_requests") sent += 1;
    }
  return sent;
}

test.each([
  ["of a key with the default limits", [], 60],
  ["of a key with a limit for an hour", limitsOf(600, 60), 60],
] as const)("six visitors cannot use up the requests %s", async (_, limits, quota) => {
  const website = await startWebsite(PROGRAM, [...limits]);
  const networks = Array.from({ length: WRITES }, (__, n) => `2001:db8:1:${n.toString(16)}::1`);
  const ofOne = await flood(website, networks);
  expect(ofOne).toBeGreaterThan(0);
  expect(ofOne).toBeLessThanOrEqual(quota / 5);
  const others = Array.from({ length: 5 }, (__, n) => addressOf(n, 1));
  expect(ofOne + (await flood(website, others))).toBeLessThan(quota * 0.75);
  expect(await book(website, createSeededRandom(SEED), 0)).toBe(true);
});
