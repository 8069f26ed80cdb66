import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { readConfig } from "../../../src/config.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { breakProgram, type SourceBug } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder } from "../../support/cli.ts";
import { listMissingDeliveries } from "../../support/missing-deliveries.ts";
import type { Program } from "../../support/program.ts";
import { createHistory, type History } from "../../support/rush/client.ts";
import {
  findOverbooked,
  findUnexplained,
  findWrongPrices,
  NEVER,
  type Taken,
} from "../../support/rush/occupancy.ts";
import { runRush } from "../../support/rush/rush.ts";
import { capacityOf, createRushShop, TICKETS } from "../../support/rush/shop.ts";
import { startPartner } from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { SHOP_SLUG, shopId } from "../../support/shop.ts";
import { patient } from "../../support/patience.ts";

// Clients book scarce times, rooms, classes, tables and tickets over HTTP and in the terminal,
// while a price changes, a partner fails at random and the daemon is killed. Afterwards, what the
// clients and the partner were told must be consistent and match the database.
// DESKBELL_RUSH_ATTEMPTS replaces the number of attempts.

const CLIENTS = 20;
const ATTEMPTS = Number(process.env["DESKBELL_RUSH_ATTEMPTS"] ?? chooseScale(150, 100_000, 600));
const KILLS = Math.max(2, ATTEMPTS / 1000);
const CONTROL_ATTEMPTS = 500;
/**
 * The maximum number of control runs for each bug. A broken program may by chance book nothing
 * twice, so further runs use other seeds.
 */
const CONTROL_RUNS = 20;
/** The share of deliveries that fail at their first attempt. */
const FAILURES = 0.2;
const SEED = chooseSeed(7);

async function subscribe(rt: Runtime, url: string): Promise<void> {
  const { id: businessId } = getBusiness(rt, SHOP_SLUG);
  const trusted = { businessId, keyId: null, allowPrivate: true };
  await createEndpoint(rt, { ...trusted, name: "partner", url, events: [...EVENT_TYPES] });
}

/** Opens a new shop and lets clients book. Returns what they saw. */
async function rush(seed: number, attempts: number, kills: number, program?: Program) {
  const random = createSeededRandom(seed);
  const dataDir = join(createTempFolder(), "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
  const sale = createRushShop(rt, CLIENTS);
  const partner = await startPartner(random, FAILURES);
  await subscribe(rt, partner.url);
  rt.close();
  const history = createHistory();
  const killAfter = Array.from({ length: kills }, () => random.integer(0, attempts));
  const plan = { attempts, killAfter: killAfter.sort((a, b) => a - b) };
  const outcome = await runRush(dataDir, sale, random, history, {
    ...plan,
    ...(program && { program }),
  });
  return { ...outcome, dataDir, history, partner };
}

/**
 * Bugs that make the program book something twice: a time that others hold, a room, or a seat in a
 * class.
 */
const BUGS: Record<string, SourceBug> = {
  "lets others book what is held": {
    file: "src/store/bookings/holds.ts",
    find: 'expires_at > :now";',
    replace: 'expires_at < :now";',
  },
  "does not count rooms": {
    file: "src/domain/availability/capacity-limits.ts",
    find: "      shortages: shortagesIn(usage, capacity, needed),",
    replace: "      shortages: [],",
  },
  "does not count the seats of a class": {
    file: "src/domain/availability/segment-starts.ts",
    find: "session.seats + segment.seats <=",
    replace: "segment.seats <=",
  },
};

/** Lets clients book with each of the broken programs, with several seeds if necessary. */
async function runControl() {
  const found: number[] = [];
  for (const bug of Object.values(BUGS)) {
    let count = 0;
    for (let n = 0; n < CONTROL_RUNS && count === 0; n++) {
      const { history } = await rush(SEED + n, CONTROL_ATTEMPTS, 0, breakProgram(bug));
      count = findOverbooked(history.taken, capacityOf).length;
    }
    found.push(count);
  }
  return {
    done: `Each of these daemons got ${CONTROL_ATTEMPTS} attempts: one that ${Object.keys(BUGS).join(", one that ")}.`,
    figure: `They made ${found.join(", ")} double bookings, in this order.`,
    hasFailed: found.every((count) => count > 0),
  };
}

test(
  `nothing is booked twice or lost in ${ATTEMPTS} attempts by ${CLIENTS} clients and a terminal, with ${KILLS} kills of the daemon`,
  { timeout: patient(300_000 + ATTEMPTS * 20) },
  async () => {
    const { desks, terminalSteps, dataDir, history, partner } = await rush(SEED, ATTEMPTS, KILLS);

    // After the last start, clients repeat every request that created or changed something.
    let replays = 0;
    await Promise.all(
      desks.map(async ({ repeat, repeatable }) => {
        for (let i = 0; i < (repeatable?.() ?? 0); i++, replays++) await repeat?.(i);
      }),
    );
    expect(findOverbooked(history.taken, capacityOf)).toEqual([]);
    expect(findUnexplained(history.refused, history.taken, capacityOf)).toEqual([]);
    expect(findWrongPrices(history.charged, history.prices)).toEqual([]);
    const db = new Database(join(dataDir, "deskbell.db"));
    expect(readStates(db)).toEqual(history.states);
    expect(findDoubleRows(db)).toEqual([]);
    expect(findWrongEvents(db)).toEqual([]);
    expect(listMissingDeliveries(db)).toEqual([]);
    const accepted = new Set(partner.received.map(({ deliveryId }) => deliveryId));
    expect(listDelivered(db).filter((id) => !accepted.has(id))).toEqual([]);
    expect(plantDoubleBooking(db)).not.toEqual([]);
    db.close();

    const counts = [history.refused.length, replays, terminalSteps, partner.refused.size];
    expect(Math.min(...counts, history.prices.length - 1)).toBeGreaterThan(0);
    if (!isRecording()) return;
    recordClaim({
      group: "crash",
      claim: "Nothing is booked twice, and no booking is lost, although the daemon is killed",
      done: `${CLIENTS} clients over HTTP and a terminal made ${history.attempts} attempts to book few times, rooms, classes, tables and tickets, while a price changed, a partner refused a fifth of the deliveries at first, and the daemon was killed ${KILLS} times with kill -9.`,
      figure: `None of ${history.states.size} visits and orders was booked twice or lost; all ${history.refused.length} refusals are explained, all ${history.charged.length} prices were valid when they were charged, and all ${replays} repeated requests got the same reply. ${history.abandoned.length} holds expired, and ${countTakenAgain(history)} of their times were booked again.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);

/** Returns the status and start of every visit and order, by ID. */
function readStates(db: Database.Database): History["states"] {
  const rows = db
    .prepare(
      `SELECT id, status, starts_at FROM booking UNION ALL SELECT id, status, starts_at FROM reservation
       UNION ALL SELECT id, status, NULL FROM ticket_order`,
    )
    .raw()
    .all() as [string, string, number | null][];
  return new Map(rows.map(([id, status, startsAt]) => [id, { status, startsAt }]));
}

const listDelivered = (db: Database.Database) =>
  db.prepare("SELECT id FROM delivery WHERE status = 'DELIVERED'").pluck().all() as string[];

/**
 * Returns pairs of visits that take the same staff member or table, moments with too many visits in
 * rooms or guests in classes, and ticket types that are oversold. The visits of one session of a
 * class share its staff member.
 */
function findDoubleRows(db: Database.Database): unknown[] {
  const segments = `SELECT booking_id AS id, staff_id AS resource, s.starts_at, s.ends_at
    FROM booking_segment s JOIN booking b ON b.id = booking_id WHERE b.status <> 'CANCELLED' AND staff_id <> '${shopId("stf", "fay")}'`;
  const tables = `SELECT id, table_id, starts_at, ends_at FROM reservation WHERE status <> 'CANCELLED'`;
  const visits = db.prepare(`
    WITH taken AS (${segments} UNION ALL ${tables})
    SELECT a.id, b.id FROM taken a JOIN taken b ON a.resource = b.resource AND a.id < b.id
    WHERE a.starts_at < b.ends_at AND b.starts_at < a.ends_at`);
  const shared = Object.entries({ massage: 1, sauna: 2, pilates: 2 }).flatMap(([key, capacity]) =>
    db
      .prepare(`
        SELECT a.booking_id, sum(b.seats) AS taken FROM booking_segment a JOIN booking_segment b
          ON a.service_id = b.service_id AND b.starts_at <= a.starts_at AND a.starts_at < b.ends_at
        WHERE a.is_busy = 1 AND b.is_busy = 1 AND a.service_id = ?
        GROUP BY a.booking_id, a.position HAVING taken > ?`)
      .all(shopId("svc", key), capacity),
  );
  const tickets = db.prepare(`
    SELECT ticket_type_id, sum(quantity) AS sold FROM ticket_order JOIN ticket_order_item ON order_id = id
    WHERE status IN ('PENDING', 'CONFIRMED') GROUP BY ticket_type_id HAVING sold > ${TICKETS}`);
  const issued = db.prepare(`
    SELECT id FROM ticket_order o WHERE (status = 'CONFIRMED') * (
      SELECT sum(quantity) FROM ticket_order_item WHERE order_id = o.id
    ) <> (SELECT count(*) FROM ticket t WHERE t.order_id = o.id AND t.status = 'VALID')`);
  return [...visits.all(), ...shared, ...tickets.all(), ...issued.all()];
}

/**
 * Returns the visits and orders that do not have exactly one event about their creation, or, if
 * they were cancelled, exactly one about their cancellation.
 */
const findWrongEvents = (db: Database.Database): unknown[] =>
  db
    .prepare(`
      WITH sent AS (
        SELECT json_extract(CAST(body AS TEXT), '$.data.object.id') AS id,
          sum(type LIKE '%.created') AS created, sum(type LIKE '%.cancelled') AS cancelled
        FROM event WHERE type LIKE 'booking.%' OR type LIKE 'reservation.%' OR type LIKE 'ticket_order.%'
        GROUP BY 1),
      stored AS (
        SELECT id, status FROM booking UNION ALL SELECT id, status FROM reservation
        UNION ALL SELECT id, status FROM ticket_order)
      SELECT * FROM stored LEFT JOIN sent USING (id)
      WHERE created IS NOT 1 OR cancelled IS NOT (status = 'CANCELLED')`)
    .all();

/** Moves a booking to the time of another, and returns what `findDoubleRows` then finds. */
function plantDoubleBooking(db: Database.Database): unknown[] {
  db.exec(`
    WITH pair AS (SELECT * FROM booking_segment WHERE is_busy = 1 AND staff_id = (
      SELECT staff_id FROM booking_segment WHERE is_busy = 1 AND staff_id <> '${shopId("stf", "fay")}'
      GROUP BY staff_id HAVING count(*) > 1) LIMIT 2)
    UPDATE booking_segment SET
      starts_at = (SELECT min(starts_at) FROM pair),
      ends_at = (SELECT min(starts_at) FROM pair) + 60000
    WHERE booking_id = (SELECT booking_id FROM pair ORDER BY starts_at DESC)`);
  return findDoubleRows(db);
}

/** Returns how many expired holds had a place that was taken again later. */
const countTakenAgain = ({ taken, abandoned }: History): number =>
  abandoned.filter((hold) =>
    taken.some(
      (row) =>
        row.id !== hold.id &&
        row.resource === hold.resource &&
        row.from < hold.to &&
        hold.from < row.to &&
        row.taken.sentAt >= hold.freed.sentAt,
    ),
  ).length;

const at = (sentAt: number) => ({ sentAt, doneAt: sentAt + 1 });
const ann = (id: string, from: number, taken: number, freed: number | null = null): Taken => {
  const span = freed === null ? NEVER : at(freed);
  return { id, resource: "ann", from, to: from + 10, quantity: 1, taken: at(taken), freed: span };
};
const sauna = (id: string, from: number, taken: number): Taken => ({
  ...ann(id, from, taken),
  resource: "sauna",
});

test.each([
  ["two visits at the same time", [ann("a", 0, 1), ann("b", 5, 7)], ["b"]],
  [
    "a visit at the time of one that is cancelled later",
    [ann("a", 0, 1, 9), ann("b", 0, 5)],
    ["b"],
  ],
  ["a visit at the time of one that was cancelled", [ann("a", 0, 1, 4), ann("b", 0, 5)], []],
  ["a visit that follows another", [ann("a", 0, 1), ann("b", 10, 2)], []],
  [
    "a third guest at the same time as two of a sauna for two",
    [sauna("a", 0, 1), sauna("b", 5, 2), sauna("c", 5, 3)],
    ["c"],
  ],
  [
    "two guests after one another at the time of a third in a sauna for two",
    [sauna("a", 0, 1), sauna("b", 10, 2), sauna("c", 5, 3)],
    [],
  ],
])("the check of overbooking is right about %s", (_, history, found) => {
  const capacity = (resource: string) => (resource === "sauna" ? 2 : 1);
  expect(findOverbooked(history, capacity).map(({ id }) => id)).toEqual(found);
});

test("the check of refusals accepts a refusal only if a visit took the time at that moment", () => {
  const alternatives = [[ann("", 0, 0)]];
  const refusedAt = (sentAt: number) => ({ id: null, alternatives, span: at(sentAt) });
  const history = [ann("a", 5, 10, 20)];
  const refusals = [refusedAt(5), refusedAt(15), refusedAt(20), refusedAt(25)];
  const found = findUnexplained(refusals, history, () => 1);
  expect(found.map(({ span }) => span.sentAt)).toEqual([5, 25]);
});

test("the check of prices accepts only a charged price that may have been in force at that time", () => {
  const price = (cents: number, sentAt: number) => ({ cents, span: at(sentAt) });
  const changes = [price(40, -9), price(41, 10)];
  const charged = [price(40, 5), price(40, 11), price(40, 12), price(41, 8), price(41, 10)];
  const found = findWrongPrices(charged, changes).map(({ cents, span }) => [cents, span.sentAt]);
  expect(found).toEqual([
    [40, 12],
    [41, 8],
  ]);
});
