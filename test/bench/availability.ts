import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "undici";
import {
  type AvailabilityFinder,
  createAvailabilityFinder,
} from "../../src/app/availability/availability.ts";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createKey } from "../../src/app/keys.ts";
import { createEventLoopYield } from "../../src/app/availability/yield-to-event-loop.ts";
import { readConfig } from "../../src/config.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import { createLargeSalon, type SalonSize } from "../support/large-salon.ts";
import { compareInTurns, type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const LIMIT = 1_000_000_000;
const REQUESTS = 400;
const HEAVY_REQUESTS = 10;
const MILLION = 1_000_000;
const WARM_UP = 40;
const ROUNDS = 200;

const today = Temporal.Now.plainDateISO("Europe/Lisbon");
const firstDay = today.add({ days: 1 }).toString();
/**
 * Time zones of the queries. Another time zone changes the response, so no response comes from the
 * cache, but the work stays equal.
 */
const timezones = Intl.supportedValuesOf("timeZone");
const SALON: SalonSize = { people: 10, services: 5, firstDay, days: 31, bookings: 2000 };
const WORST: SalonSize = { people: 50, services: 8, firstDay, days: 62, bookings: 10_000 };

/**
 * Measures S10: the response time of availability, and how long a heavy query delays other
 * requests.
 */
export async function benchAvailability(): Promise<Figure[]> {
  return [await benchResponseTime(), await benchOtherRequests(), ...(await benchStoredBookings())];
}

/** Measures a query and a booking with few and with many stored bookings, in turns. */
async function benchStoredBookings(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const open = (bookingsElsewhere: number) => {
    const dataDir = join(processes.dir, `data-${bookingsElsewhere}`);
    const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
    const salon = createLargeSalon(rt, { ...SALON, bookings: 1000, bookingsElsewhere });
    return { rt, ...salon, ask: createAvailabilityFinder(rt) };
  };
  const [few, many] = [open(0), open(MILLION)];
  const figures: Figure[] = [];
  for (const [description, measure] of [
    ["availability, 31 days", timeAvailability],
    ["bookings create", timeBooking],
  ] as const) {
    for (let i = 0; i < WARM_UP; i++) for (const salon of [few, many]) await measure(salon, i);
    let round = WARM_UP;
    const result = await compareInTurns(
      ROUNDS,
      () => measure(many, round),
      () => measure(few, round++),
    );
    figures.push({
      id: "S10",
      description: `${description}: with 1,000,000 bookings stored, and with 1,000`,
      ours: `${result.ours.toFixed(2)} ms`,
      peer: `${result.peer.toFixed(2)} ms`,
      ratio: result.ratio,
      goal: "<= 2",
    });
  }
  for (const { rt } of [few, many]) rt.close();
  return figures;
}

type OpenSalon = ReturnType<typeof createLargeSalon> & {
  rt: Runtime;
  ask: AvailabilityFinder;
};

async function timeAvailability(
  { rt, slug, services, ask }: OpenSalon,
  i: number,
): Promise<number> {
  const startedAt = performance.now();
  const query = availabilityQuery(
    services[i % 5] ?? "",
    today.add({ days: SALON.days }).toString(),
  );
  for await (const some of ask(getBusiness(rt, slug), query).days()) JSON.stringify(some);
  return performance.now() - startedAt;
}

/**
 * Books a slot after the days with stored bookings. Eight bookings share a slot of ten staff
 * members.
 */
function timeBooking({ rt, slug }: OpenSalon, i: number): Promise<number> {
  const day = today.add({ days: SALON.days + 2 + Math.floor(i / 80) });
  const time = Temporal.PlainTime.from("08:00").add({ minutes: 60 * (Math.floor(i / 8) % 10) });
  const startedAt = performance.now();
  createBooking(rt, slug, {
    service: "s0",
    start: day.toPlainDateTime(time).toString({ smallestUnit: "minute" }),
  });
  return Promise.resolve(performance.now() - startedAt);
}

const availabilityQuery = (serviceId: string, to: string) =>
  ({
    audience: "PUBLIC",
    request: { serviceIds: [serviceId], variantIds: [], addonIds: [], staffIds: [], guests: 1 },
    dates: { from: firstDay, to },
    timezone: null,
    explain: false,
    yieldToEventLoop: createEventLoopYield(),
  }) as const;

async function benchResponseTime(): Promise<Figure> {
  await using salon = await openSalon(SALON);
  const { rt, slug, services, client } = salon;
  const to = today.add({ days: SALON.days }).toString();
  const tookMs: number[] = [];
  for (let i = 0; i < 2 * REQUESTS; i++) {
    const timezone = timezones[Math.floor(i / 5)];
    const path = `/v1/businesses/${slug}/availability?serviceId=${services[i % 5]}&from=${firstDay}&to=${to}&timezone=${timezone}`;
    const took = await timed(client, path, clientHeaders(i));
    if (i >= REQUESTS) tookMs.push(took);
  }

  // CPU time is measured as well, because other processes on the machine increase only the elapsed
  // time.
  const ask = createAvailabilityFinder(rt);
  const cpuMs: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const before = process.threadCpuUsage();
    const query = availabilityQuery(services[i % 5] ?? "", to);
    for await (const some of ask(getBusiness(rt, slug), query).days()) JSON.stringify(some);
    const { user, system } = process.threadCpuUsage(before);
    cpuMs.push((user + system) / 1000);
  }
  const [p50, p99] = [median(tookMs), percentile(tookMs, 0.99)];
  return {
    id: "S10",
    description: "availability, 10 staff, 31 days, 2,000 bookings, uncached",
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${median(cpuMs.slice(REQUESTS / 2)).toFixed(1)} ms of CPU`,
    peer: null,
    ratio: null,
    goal: "p50 <= 15 ms, p99 <= 60 ms",
  };
}

async function benchOtherRequests(): Promise<Figure> {
  await using salon = await openSalon(WORST);
  const { slug, services, client, other, secret } = salon;
  const to = today.add({ days: WORST.days }).toString();
  const heavy = `/v1/businesses/${slug}/availability?serviceIds=${services.join(",")}&from=${firstDay}&to=${to}&granularity=days`;
  const staff = `/v1/businesses/${slug}/staff`;
  const waitedMs: number[] = [];
  const tookMs: number[] = [];
  const sendHeavy = async () => {
    while (tookMs.length < HEAVY_REQUESTS) {
      const path = `${heavy}&timezone=${timezones[tookMs.length]}`;
      tookMs.push(await timed(client, path, clientHeaders(tookMs.length)));
    }
  };
  const done = sendHeavy();
  while (tookMs.length < HEAVY_REQUESTS) {
    const waited = await timed(other, staff, { authorization: `Bearer ${secret}` });
    // The first two queries warm up the code, and are not measured.
    if (tookMs.length > 1) waitedMs.push(waited);
    await pause(1);
  }
  await done;
  return {
    id: "S10",
    description:
      "another GET during a query over 62 days, 8 services, 50 staff and 10,000 bookings",
    ours: `p50 ${median(waitedMs).toFixed(1)} ms, longest ${Math.max(...waitedMs).toFixed(1)} ms; the query ${Math.round(median(tookMs))} ms`,
    peer: null,
    ratio: null,
    goal: "longest <= 50 ms",
  };
}

async function openSalon(size: SalonSize) {
  const processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const salon = createLargeSalon(rt, size);
  const { id } = getBusiness(rt, salon.slug);
  const limits = { limitMinute: LIMIT, limitHour: LIMIT };
  const { secret } = createKey(rt, {
    businessId: id,
    name: "bench",
    kind: "SECRET",
    scopes: [],
    ...limits,
  });
  const daemon = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(
    [...daemon, "--trusted-proxy", "127.0.0.1/32"],
    /(http:\/\/127\.0\.0\.1:\d+)/,
  );
  const [client, other] = [new Client(url), new Client(url)];
  return {
    ...salon,
    rt,
    secret,
    client,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close(), other.close()]);
      rt.close();
      await processes[Symbol.asyncDispose]();
    },
  };
}

/**
 * Returns headers with a different client address for each request, because the rate limit counts
 * requests by address.
 */
const clientHeaders = (i: number) => ({ "x-forwarded-for": `10.0.${i >> 8}.${i & 255}` });

async function timed(
  client: Client,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  const startedAt = performance.now();
  const response = await client.request({ method: "GET", path, headers });
  const body = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${body}`);
  return performance.now() - startedAt;
}

const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
