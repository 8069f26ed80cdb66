import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { changeCatalog } from "../../../src/app/catalog/changes/change-catalog.ts";
import { getBookableCatalog } from "../../../src/app/catalog/bookable-catalog.ts";
import { publishClockChanges } from "../../../src/app/catalog/publish.ts";
import { createKey } from "../../../src/app/keys.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import type { Catalog } from "../../../src/domain/catalog/catalog.ts";
import { expireTicketOrders } from "../../../src/features/tickets/orders/take-tickets.ts";
import { createTestApp } from "../../support/app.ts";
import { buildCatalog } from "../../support/catalog-builders.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { patient } from "../../support/patience.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { createRandomOperations } from "../support/random-operations.ts";

// A server that caches the catalog, and patches it, is compared with one that has just started. A failure names the seed and the step; DESKBELL_PATCH_SEED and DESKBELL_PATCH_STEPS
// repeat it.

const STEPS = Number(process.env["DESKBELL_PATCH_STEPS"] ?? chooseScale(150, 100_000, 1000));
const SEED = Number(process.env["DESKBELL_PATCH_SEED"] ?? chooseSeed(7));
const SLUG = "salon-aurora";
const TIMEOUT_MS = 3 * 3_600_000;
/** The lists that are compared after each step. */
const LISTS_PER_STEP = 3;
/** The number of changes in a row after which the store no longer knows the first one. */
const LONG_ABSENCE = 140;
const LISTS = [
  "",
  "/services",
  "/services?limit=2&includeVariants=true&includeAddons=true",
  "/services?limit=1&bookable=true&includeTranslations=true",
  "/service-categories",
  "/staff",
  "/staff?limit=2",
  "/menu",
  "/menu?limit=2&locale=es",
  "/menu?at=2026-11-20T12:00",
  "/promotions",
  "/promotions?includeUpcoming=true&limit=3",
  "/events/catalog",
  "/events/catalog?includePast=true&includeCancelled=true&limit=2",
];
const HEADERS = ["etag", "catalog-version", "x-service-sequence", "link", "content-language"];

type Get = (path: string) => Promise<Record<string, unknown>>;

function createGet(rt: Runtime, secret: string): Get {
  const app = createTestApp(rt);
  return async (path) => {
    // The daemon looks for commits once per turn of the event loop, so each request waits for a new
    // turn.
    await nextTurn();
    const headers = { authorization: `Bearer ${secret}` };
    const response = await app.request(`/v1/businesses/${SLUG}${path}`, { headers });
    return {
      status: response.status,
      body: await response.text(),
      ...Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)])),
    };
  };
}

/** Opens another connection to the same file, as a command does, with the same clock. */
function openCommandLine(rt: TestRuntime): TestRuntime {
  const { now, monotonic, log, actor } = rt;
  const other = openRuntime(rt.config, 5000, { now, monotonic, log, actor });
  return Object.assign(other, { advance: rt.advance, shiftClock: rt.shiftClock, logged: [] });
}

/**
 * Returns a catalog without the time off that has ended. A cached catalog keeps it until the next
 * change, because nobody can book in the past.
 */
function withoutPastTimeOff(catalog: Catalog, now: number): Catalog {
  const staff = catalog.objects.staff.map((person) => ({
    ...person,
    timeOff: person.timeOff.filter(({ to }) => to > now),
  }));
  return { ...catalog, objects: { ...catalog.objects, staff } };
}

/**
 * Changes a catalog at random, in the server and from another connection, and compares what the
 * server shows with what a server shows that has cached nothing yet.
 * @param toServer returns the runtime of the server
 * @returns the number of equal responses
 * @throws at the first difference
 */
async function compare(steps: number, toServer = (rt: Runtime): Runtime => rt): Promise<number> {
  const rt = createTestRuntime();
  const commandLine = openCommandLine(rt);
  const randomInt = createRandomInt(SEED);
  changeCatalog(rt, { catalog: buildCatalog(), origin: "local", loaded: null });
  const { secret } = createKey(rt, {
    businessId: getBusiness(rt, SLUG).id,
    name: "proof",
    kind: "SECRET",
    scopes: [],
    limitMinute: 1_000_000_000,
    limitHour: 1_000_000_000,
  });
  const server = toServer(rt);
  const get = createGet(server, secret);
  const operations = [rt, commandLine].map((one) => createRandomOperations(one, SLUG, randomInt));
  const operate = (): string => operations[randomInt(2)]?.() ?? "";
  let compared = 0;
  const log: string[] = [];

  for (let step = 1; step <= steps; step++) {
    const count = step % 500 === 0 ? LONG_ABSENCE : 1 + (randomInt(8) === 0 ? randomInt(5) : 0);
    for (let i = 0; i < count; i++) log.push(operate());
    if (randomInt(3) > 0) {
      expireTicketOrders(rt);
      publishClockChanges(rt);
    }
    // A new runtime object has no cached catalog yet.
    const fresh = { ...rt };
    const context = { seed: SEED, step, last: log.splice(0).slice(-5) };
    const getFresh = createGet(fresh, secret);
    const path = () => LISTS[randomInt(LISTS.length)] ?? "";
    for (const list of Array.from({ length: LISTS_PER_STEP }, path)) {
      const [patched, read] = [await get(list), await getFresh(list)];
      if (!isDeepStrictEqual(patched, read))
        expect({ ...context, list, ...patched }).toEqual({ ...context, list, ...read });
      compared += 1;
    }
    const business = getBusiness(rt, SLUG);
    const [patched, read] = [server, fresh].map((one) => getBookableCatalog(one, business));
    if (!isDeepStrictEqual(patched, read))
      expect({ ...context, patched: withoutPastTimeOff(patched!, rt.now()) }).toEqual({
        ...context,
        patched: withoutPastTimeOff(read!, rt.now()),
      });
  }
  commandLine.close();
  return compared;
}

/** Returns a runtime that learns of no changed object. */
function withoutPatches(rt: Runtime): Runtime {
  const catalogLists = { ...rt.store.catalogLists, findChangedAfter: () => new Set<string>() };
  return { ...rt, store: Object.create(rt.store, { catalogLists: { value: catalogLists } }) };
}

test(
  `a server that patches its catalog in memory responds like a new server, after each of ${STEPS} changes`,
  { timeout: patient(TIMEOUT_MS) },
  async () => {
    const compared = await compare(STEPS);
    expect(compared).toBe(STEPS * LISTS_PER_STEP);
    const failure = await compare(100, withoutPatches).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: "A catalog that is patched in memory equals the stored catalog",
      done: `${STEPS} steps of random edits, sales, undos, moves, sold-out marks, deletions and clock changes were made, half of them by another process; after each, three responses and what can be booked were compared with those of a server that has cached nothing yet.`,
      figure: `All ${compared} responses were equal, with their ETags.`,
      control: {
        done: "The server learned of no changed object.",
        figure: "A response differed.",
        hasFailed: failure instanceof Error,
      },
      seed: SEED,
    });
  },
);
