import { join } from "node:path";
import { saveCustomer } from "../../src/app/bookings/guests.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createCalendar } from "../../src/features/calendars/calendars.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { catalogId } from "../../src/domain/ids.ts";
import { BIN } from "../support/program.ts";
import { confirmedVisit } from "../support/visit-rows.ts";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses, BOTH_CORES } from "./processes.ts";

const SLUG = "salon";
const CATALOG = `
catalog: 1
business: { slug: ${SLUG}, name: Salon, timezone: Europe/Lisbon, currency: EUR }
staff: [{ key: zoe, name: Zoe }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [zoe] }]
`;
const VISITS = 20_000;
const ROUNDS = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PER_DAY = 200;

/**
 * Measures the CPU time that all threads of a daemon use for a full feed shortly after its start.
 */
export async function benchCalendar(): Promise<Figure[]> {
  const tookMs: number[] = [];
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const path = storeCalendar(dataDir);
  for (let round = 0; round < ROUNDS; round++) {
    await using daemons = new BenchProcesses();
    const url = await daemons.start(
      [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"],
      /(http:\/\/127\.0\.0\.1:\d+)/,
      BOTH_CORES,
    );
    const read = async (headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        headers: { "accept-encoding": "identity", ...headers },
      });
      return { response, text: await response.text() };
    };
    const missing = await fetch(`${url}/v1/businesses/${SLUG}/calendars/none.ics`);
    await missing.text();
    const before = daemons.allThreadsCpuMs(url);
    const { response, text } = await read();
    tookMs.push(daemons.allThreadsCpuMs(url) - before);
    const entries = text.split("BEGIN:VEVENT").length - 1;
    if (entries !== VISITS) throw new Error(`HTTP ${response.status}, ${entries} entries`);
    const again = await read({ "if-none-match": response.headers.get("etag") });
    if (again.response.status !== 304) throw new Error(`HTTP ${again.response.status}`);
  }
  return [
    {
      id: "calendar",
      description: `CPU time of all threads for a calendar feed of ${VISITS.toLocaleString("en")} visits with guests`,
      ours: `best ${Math.min(...tookMs).toFixed(0)} ms, p50 ${median(tookMs).toFixed(0)} ms of ${ROUNDS}`,
      peer: null,
      ratio: null,
      goal: "best <= 500 ms",
    },
  ];
}

/** Stores a business with a calendar of 20,000 visits. Returns the path of the feed. */
export function storeCalendar(dataDir: string): string {
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  applyCatalog(rt, [{ name: "salon.yaml", text: CATALOG }], { seedingAt: rt.now() });
  const business = getBusiness(rt, SLUG);
  const tomorrow = Math.floor(rt.now() / DAY_MS + 1) * DAY_MS;
  const token = rt.tx(() => {
    for (let n = 0; n < VISITS; n++) {
      const minute = ((n % PER_DAY) * 24 * 60) / PER_DAY;
      const day = Math.floor(n / PER_DAY);
      storeVisit(rt, business.id, tomorrow + day * DAY_MS + Math.floor(minute) * MINUTE_MS, n);
    }
    return createCalendar(rt, business, { staffId: null, withGuests: true }).token;
  });
  rt.close();
  return `/v1/businesses/${SLUG}/calendars/${token}.ics`;
}

function storeVisit(rt: Runtime, businessId: string, startsAt: number, n: number): void {
  const id = rt.newId("bkg");
  const endsAt = startsAt + 30 * MINUTE_MS;
  const segment = {
    serviceId: catalogId("svc", SLUG, "cut"),
    serviceName: "Cut",
    variantId: null,
    variantName: null,
    addons: [],
    staffId: catalogId("stf", SLUG, "zoe"),
    staffName: "Zoe",
    resources: [],
    seats: 1,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    startsAt,
    endsAt,
    priceCents: 4000,
  };
  rt.store.bookings.insert(businessId, {
    ...confirmedVisit(startsAt, rt.now()),
    id,
    endsAt,
    guests: 1,
    totalCents: 4000,
    currency: "EUR",
    currencyDigits: 2,
    segments: [segment],
  });
  saveCustomer(rt, businessId, id, {
    name: `Maria Álvares ${n}`,
    email: `guest-${n}@example.com`,
    phone: "+351 912 345 678",
    notes: n % 5 === 0 ? "Prefers the afternoon; allergic to ammonia, please." : null,
  });
}
