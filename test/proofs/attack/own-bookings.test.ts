import type Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import {
  CUT,
  monday,
  openBookingShop,
  orderOf,
  type Send,
  visit,
} from "../../http/support/bookings.ts";
import { shopId } from "../../support/shop.ts";
import { recordClaim } from "../../support/claims.ts";
import { chooseScale } from "../../support/scale.ts";
import { OutOfPatience, patient } from "../../support/patience.ts";

// A key that may only see its own bookings cannot find out whether another key's object exists,
// because the server does the same work for the ID of that object as for an ID that never existed.
// The test suite compares the SQL statements, in their order. The full proof also measures the
// time.

const { statements } = vi.hoisted(() => ({ statements: [] as string[] }));

vi.mock(import("better-sqlite3"), async (original) => {
  const module = await original();
  class Traced extends module.default {
    constructor(path: string, options: Database.Options) {
      super(path, { ...options, verbose: (sql) => void statements.push(String(sql)) });
    }
  }
  return { ...module, default: Traced as typeof module.default };
});

const SAMPLES = chooseScale(0, 2000, 400);
const WARMUP = 200;
const MAX_RATIO = 1.1;
/** The maximum number of measurements of a ratio. */
const MEASUREMENTS = 5;

/** Fields that a refusal would reveal if it contained the visit of another key. */
const MEMBERS = ["customerRef", "createdAt", "cancelUntil", "version"];

type Probe = { method: string; path: (id: string) => string; body?: (id: string) => object };

const at = (path: string): Pick<Probe, "path"> => ({ path: (id) => path.replace("ID", id) });
const act = (path: string, body: object = {}): Probe => ({
  method: "POST",
  ...at(path),
  body: () => body,
});
const startsAt = monday("10:00");

/** Every request that names an object, by the kind of the object. */
const PROBES: Record<"booking" | "reservation" | "order" | "hold", Probe[]> = {
  booking: [
    { method: "GET", ...at("/bookings/ID") },
    { method: "PATCH", ...at("/bookings/ID"), body: () => ({ customer: { name: "Eve" } }) },
    act("/bookings/ID/cancel"),
    act("/bookings/ID/reschedule", { startsAt }),
    act("/bookings/ID/reschedule", { startsAt, segments: [CUT] }),
    { method: "GET", ...at("/bookings?cursor=ID") },
  ],
  reservation: [
    { method: "GET", ...at("/reservations/ID") },
    { method: "PATCH", ...at("/reservations/ID"), body: () => ({ customerRef: "eve" }) },
    act("/reservations/ID/cancel"),
    act("/reservations/ID/reschedule", { startsAt }),
  ],
  order: [
    { method: "GET", ...at("/ticket-orders/ID") },
    act("/ticket-orders/ID/confirm"),
    act("/ticket-orders/ID/cancel"),
    act("/ticket-orders/ID/reissue"),
  ],
  hold: [
    { method: "GET", ...at("/holds/ID") },
    { method: "DELETE", ...at("/holds/ID") },
    { method: "POST", ...at("/bookings"), body: (holdId) => ({ holdId }) },
    { method: "POST", ...at("/reservations"), body: (holdId) => ({ holdId }) },
  ],
};

/** Opens a shop with objects of another key, and a client that may only see its own objects. */
async function openShop() {
  const { rt, site, createClient } = openBookingShop();
  const create = async (path: string, body: object): Promise<string> => {
    const sent = await site.send("POST", path, body);
    expect(sent.status).toBe(201);
    return sent.body.data.id;
  };
  const customer = { name: "Ana" };
  const ids: Record<keyof typeof PROBES, string> = {
    booking: await create("/bookings", visit("09:00", { customer })),
    reservation: await create("/reservations", { startsAt, partySize: 2, customer }),
    order: await create("/ticket-orders", { ...orderOf(rt, 2), customer }),
    hold: await create("/holds", visit("11:00")),
  };
  return { ids, site, client: createClient(["services.read", "bookings.write", "tickets.write"]) };
}

const unknownFrom = (id: string): string => id.replace(/.{8}$/, "77777777");

const ask = (send: Send, { method, path, body }: Probe, id: string) =>
  send(method, path(id), body?.(id), {
    "if-match": '"1"',
    "if-none-match": '"1"',
    // The server stores a reply under this Idempotency-Key only if the request changes something,
    // so all probes can use the same one.
    "idempotency-key": "probe",
  });

test("a request for another key's object runs the same SQL as one for an ID that never existed", async () => {
  const { ids, client } = await openShop();
  const workOf = async (probe: Probe, id: string) => {
    statements.length = 0;
    const { status, body } = await ask(client.send, probe, id);
    const done = statements.map((sql) => sql.replaceAll(id, "ID").replaceAll(/\d{13}/g, "NOW"));
    return { status, code: body.code, done };
  };
  for (const [kind, probes] of Object.entries(PROBES))
    for (const probe of probes) {
      const id = ids[kind as keyof typeof PROBES];
      // The first request also reads the key and the catalog, so it is not compared.
      await ask(client.send, probe, unknownFrom(id));
      const [known, unknown] = [await workOf(probe, id), await workOf(probe, unknownFrom(id))];
      expect([probe.method, probe.path("ID"), known]).toEqual([
        probe.method,
        probe.path("ID"),
        unknown,
      ]);
      expect(known.done.length).toBeGreaterThan(0);
    }
});

const LISTS = [
  "/bookings",
  `/bookings?staffId=${shopId("stf", "ann")}&includeCustomer=true`,
  `/bookings?serviceId=${CUT.serviceId}&status=CONFIRMED`,
  "/bookings?from=2026-11-23&to=2026-11-23&limit=1",
  "/bookings?updatedSince=2026-11-20T00:00:00Z",
  "/reservations",
  "/ticket-orders?status=PENDING",
];

test("filters, cursors, ETags and conflicts tell nothing of another key's objects", async () => {
  const { ids, site, client } = await openShop();
  const other = await site.send("POST", "/bookings", visit("09:00"));
  const { nextCursor } = (await site.send("GET", "/bookings?limit=1")).body.page;
  const lists = [...LISTS, `/bookings?cursor=${nextCursor}`];
  const readAll = () =>
    Promise.all(
      lists.map(async (path) => {
        const { status, headers, body, text } = await client.send("GET", path);
        expect([path, status, body.data]).toEqual([path, 200, []]);
        const fixed = [...headers].filter(([name]) => !/^(?:request-id|ratelimit)$/.test(name));
        return [fixed, text];
      }),
    );
  const before = await readAll();
  const taken = await client.send("POST", "/bookings", visit("09:00"));
  expect([taken.status, taken.body["reason"]]).toEqual([409, "TAKEN"]);
  const known = [...Object.values(ids), other.body.data.id, "Ana", ...MEMBERS];
  expect(known.filter((name) => taken.text.includes(name))).toEqual([]);
  await site.send("POST", `/bookings/${ids.booking}/reschedule`, { startsAt: monday("11:00") });
  await site.send("POST", `/reservations/${ids.reservation}/cancel`, {});
  await site.send("POST", `/ticket-orders/${ids.order}/cancel`, {});
  expect(await readAll()).toEqual(before);
});

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Returns the median time of a request for `id`, divided by that of a request for an ID that never
 * existed.
 */
async function measureRatio(send: Send, probe: Probe, id: string): Promise<number> {
  const unknown = unknownFrom(id);
  const times: Record<string, number[]> = { [id]: [], [unknown]: [] };
  for (let n = 0; n < SAMPLES + WARMUP; n++)
    // The two IDs take turns, and each of them is first in half of the pairs.
    for (const asked of n % 2 === 0 ? [id, unknown] : [unknown, id]) {
      const startedAt = performance.now();
      await ask(send, probe, asked);
      if (n >= WARMUP) times[asked]?.push(performance.now() - startedAt);
    }
  return median(times[id] ?? []) / median(times[unknown] ?? []);
}

/**
 * Measures the ratio again if the two times differ: other programs can slow down one of the two.
 * @throws OutOfPatience if they differ each time
 */
async function measureSteady(send: Send, probe: Probe, id: string): Promise<number> {
  const ratios: number[] = [];
  for (let i = 0; i < MEASUREMENTS; i++) {
    const ratio = await measureRatio(send, probe, id);
    if (ratio < MAX_RATIO && ratio > 1 / MAX_RATIO) return ratio;
    ratios.push(ratio);
  }
  throw new OutOfPatience(`${probe.method} ${probe.path("ID")} has the ratios ${ratios.join()}.`);
}

test.runIf(SAMPLES > 0)(
  `another key's object takes the same time as an ID that never existed, within ${MAX_RATIO}`,
  { timeout: patient(600_000) },
  async () => {
    const { ids, site, client } = await openShop();
    const ratios: number[] = [];
    for (const [kind, probes] of Object.entries(PROBES))
      for (const probe of probes) {
        ratios.push(await measureSteady(client.send, probe, ids[kind as keyof typeof PROBES]));
      }
    expect(Math.max(...ratios)).toBeLessThan(MAX_RATIO);
    const ofOwn = await measureRatio(site.send, PROBES.booking[0]!, ids.booking);
    recordClaim({
      group: "attack",
      claim: "The response time does not tell a key whether another key's booking exists",
      done: `${ratios.length} requests were sent with the ID of another key's booking, reservation, order or hold, and with IDs that never existed, ${SAMPLES} times each; their SQL statements are the same.`,
      figure: `The medians of their response times differ by at most ${(Math.max(...ratios.map((ratio) => Math.abs(ratio - 1))) * 100).toFixed(1)} %.`,
      control: {
        done: "The same requests were sent with the key that made the booking.",
        figure: `The medians differ by ${((ofOwn - 1) * 100).toFixed(1)} %.`,
        hasFailed: ofOwn > MAX_RATIO,
      },
      seed: "none",
    });
  },
);
