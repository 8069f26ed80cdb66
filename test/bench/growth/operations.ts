import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { loadOtherVisits } from "../../../src/app/bookings/other-visits.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { createTestApp } from "../../support/app.ts";
import { encodeChangeCursor } from "../../../src/http/handlers/changes/changes.ts";
import { BenchProcesses } from "../processes.ts";
import {
  bookNext,
  catalogText,
  EVENT_ID,
  FIRST_DAY,
  SERVICE,
  SERVICE_ID,
  SLUG,
  type Size,
  startOfBooking,
  type Target,
  TICKET_TYPE_ID,
} from "./data.ts";
import { createOperatorOperations, OPERATOR_OPERATIONS } from "./operator-operations.ts";

// Every command and the daemon load the code of ticket orders, which count against the limits of a
// key.
await loadOtherVisits();

const BIN = join(import.meta.dirname, "../../../bin/deskbell.js");

export type Operation = (typeof OPERATIONS)[number];
export const OPERATIONS = [
  "cached GET",
  "cold GET",
  "/changes",
  "availability",
  "booking",
  "GET after an edit",
  "availability after an edit",
  "booking after an edit",
  "ticket order",
  "lists after a sale",
  "one edit",
  "diff",
  "apply",
  "status",
  "backup",
  ...OPERATOR_OPERATIONS,
  "start",
] as const;

/** The system counts CPU time in steps of 4 ms, so that 80 ms are precise to 5 %. */
const MIN_CPU_MS = 80;
const MIN_RUNS = 20;
const MAX_MS = 2000;

/**
 * Returns the mean CPU time of an operation in milliseconds, and the number of the next run.
 * @param first the number of the first run
 */
export async function measure(
  operation: Operation,
  rt: Runtime,
  size: Size,
  targets: readonly Target[],
  first: number,
): Promise<{ cpuMs: number; next: number }> {
  if (operation === "start") return { cpuMs: await measureStart(rt.config.dataDir), next: 0 };
  const measured = await OPERATION[operation](rt, size, targets);
  if (typeof measured !== "function") return measurePrepared(measured, first);
  const run = measured;
  // The first run may fill caches, for example with the catalog, so it is not measured.
  await run(first);
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    await run(first + runs);
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1000;
    const isPrecise = cpuMs >= MIN_CPU_MS && runs >= MIN_RUNS;
    if (isPrecise || performance.now() - startedAt > MAX_MS)
      return { cpuMs: cpuMs / runs, next: first + runs + 1 };
  }
}

/** Runs the operation for the nth time. */
type Run = (n: number) => unknown;

/** An operation that needs `prepare` before each run. The cost of `prepare` is not measured. */
type Prepared = { prepare: Run; run: Run };

/**
 * Returns the mean CPU time that all threads use in `run`. `run` may be short, because its times
 * are added up until they are precise.
 */
async function measurePrepared(
  { prepare, run }: Prepared,
  first: number,
): Promise<{ cpuMs: number; next: number }> {
  const startedAt = performance.now();
  let cpuMs = 0;
  // The first run may fill caches, so it is not measured.
  for (let runs = 0; ; runs++) {
    await prepare(first + runs);
    // The daemon looks for commits once per turn of the event loop, so `run` must not share a turn
    // with `prepare`.
    await nextTurn();
    const before = process.cpuUsage();
    await run(first + runs);
    const { user, system } = process.cpuUsage(before);
    if (runs > 0) cpuMs += (user + system) / 1000;
    const isPrecise = cpuMs >= MIN_CPU_MS && runs >= MIN_RUNS;
    if (runs > 0 && (isPrecise || performance.now() - startedAt > MAX_MS))
      return { cpuMs: cpuMs / runs, next: first + runs + 1 };
  }
}

const OPERATION: Record<
  Exclude<Operation, "start">,
  (rt: Runtime, size: Size, targets: readonly Target[]) => Run | Prepared | Promise<Run | Prepared>
> = {
  async "cached GET"(rt, _size, targets) {
    const get = createGet(rt, targets);
    const run = (n: number) => get(n, "services?limit=50");
    for (let n = 0; n < targets.length; n++) await run(n);
    return run;
  },
  "cold GET"(rt, _size, targets) {
    const http = { ...rt.config.http, cacheBytes: 0 };
    const get = createGet({ ...rt, config: { ...rt.config, http } }, targets);
    // The last response is always kept, so each run reads another list or limit than the run
    // before.
    const paths = ["services?limit=50", "staff?limit=50", "services?limit=49", "staff?limit=49"];
    return (n) => get(n, paths[n % paths.length] ?? "");
  },
  "/changes"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    const { id, lastSequence } = getBusiness(rt, SLUG);
    const after = encodeChangeCursor(rt, id, Math.max(0, lastSequence - 10));
    return (n) => get(n, `changes?limit=10&after=${after}`);
  },
  availability: (rt, _size, [target]) => createSearch(rt, target),
  booking: (rt) => (n) => bookNext(rt, n),
  "GET after an edit"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    return { prepare: createEdit(rt), run: (n) => get(n, "services?limit=50") };
  },
  "availability after an edit": (rt, _size, [target]) => ({
    prepare: createEdit(rt),
    run: createSearch(rt, target),
  }),
  "booking after an edit"(rt, _size, [target]) {
    const post = createPost(rt, target);
    const book = (n: number) =>
      post("bookings", {
        startsAt: startOfBooking(n),
        segments: [{ serviceId: SERVICE_ID }],
        customer: { name: "Ana" },
      });
    return { prepare: createEdit(rt), run: book };
  },
  "ticket order": (rt, _size, [target]) => ({
    prepare: () => {},
    run: createOrder(rt, target),
  }),
  "lists after a sale"(rt, _size, [target]) {
    const get = createGet(rt, [target]);
    const run = async (n: number) => {
      for (const path of ["services?limit=50", "staff?limit=50", "promotions?limit=50"])
        await get(n, path);
    };
    return { prepare: createOrder(rt, target), run };
  },
  "one edit": (rt) => createEdit(rt),
  diff(rt, { objects }) {
    const apply = createApply(rt, objects);
    return () => {
      const stop = rt.startDryRun();
      apply(1);
      stop();
    };
  },
  apply: (rt, { objects }) => createApply(rt, objects),
  status: (rt) => () => readStatus(rt, CHECKS),
  backup: (rt) => () => createBackup(rt),
  ...createOperatorOperations(createGet),
};

/** Returns a function that sends the nth GET, to one business after the other, without a socket. */
function createGet(rt: Runtime, targets: readonly (Target | undefined)[]) {
  const app = createTestApp(rt);
  return async (n: number, path: string): Promise<void> => {
    const { slug, secret } = targets[n % targets.length] ?? { slug: "", secret: "" };
    const headers = { authorization: `Bearer ${secret}` };
    const response = await app.request(`/v1/businesses/${slug}/${path}`, { headers });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`HTTP ${response.status} for ${path}: ${body}`);
  };
}

const createEdit =
  (rt: Runtime): Run =>
  (n) =>
    editObject(rt, SLUG, "service", SERVICE, (doc) => ({ ...doc, priceCents: 1000 + (n % 500) }));

/** Returns a run that asks for the free times of a week. */
function createSearch(rt: Runtime, target: Target | undefined): Run {
  const get = createGet(rt, [target]);
  const timezones = Intl.supportedValuesOf("timeZone");
  const to = FIRST_DAY.add({ days: 7 });
  // The time zones differ, so that no response comes from the cache.
  return (n) =>
    get(
      n,
      `availability?serviceId=${SERVICE_ID}&from=${FIRST_DAY}&to=${to}&timezone=${timezones[n % timezones.length]}`,
    );
}

function createOrder(rt: Runtime, target: Target | undefined): Run {
  const post = createPost(rt, target);
  const items = [{ ticketTypeId: TICKET_TYPE_ID, quantity: 1 }];
  return () => post("ticket-orders", { eventId: EVENT_ID, items });
}

/** Returns a function that sends a POST that creates an object, without a socket. */
function createPost(rt: Runtime, { slug, secret }: Target = { slug: "", secret: "" }) {
  const app = createTestApp(rt);
  return async (path: string, body: object): Promise<void> => {
    const response = await app.request(`/v1/businesses/${slug}/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`HTTP ${response.status} for ${path}: ${text}`);
  };
}

/** Returns a run that applies the catalog with another price each time. */
function createApply(rt: Runtime, objects: number): Run {
  const seedingAt = rt.now();
  const editions = [1, 2].map((edition) => catalogText(objects, edition));
  return (n) =>
    applyCatalog(rt, [{ name: "growth.json", text: editions[n % 2] ?? "" }], {
      seedingAt,
      confirmed: true,
    });
}

/** Returns the CPU time of all threads of a daemon from its start until it serves, in ms. */
async function measureStart(dataDir: string): Promise<number> {
  await using processes = new BenchProcesses();
  const command = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(command, /(http:\/\/127\.0\.0\.1:\d+)/, "0,1");
  return processes.allThreadsCpuMs(url);
}
