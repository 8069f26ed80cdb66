import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { getBusiness } from "../../src/app/businesses.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { BIN } from "../support/program.ts";
import { compare, deskbell } from "./catalog.ts";
import { type Figure, times } from "./figure.ts";
import { BASE, FIRST_DAY, SERVICE, SERVICE_ID, SLUG, storeData } from "./growth/data.ts";
import { BenchProcesses } from "./processes.ts";

const OBJECTS = 100_000;
const BOOKINGS = 20;

/**
 * Compares the CPU time of a sold-out mark and of an undo with that of `keys list`, which reads no
 * catalog. The last figure is about bookings over HTTP while commands undo changes. The pages of
 * the file are in the system's cache.
 */
export async function benchUndo(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const [target] = await storeData(rt, { ...BASE, objects: OBJECTS });
  const [dish = ""] = rt.store.catalog.listKeys(getBusiness(rt, SLUG).id, "menu_item");
  rt.close();
  const business = ["--business", SLUG, "--data-dir", dataDir];
  const run = (...args: string[]) => deskbell([...args, ...business]);
  const listKeys = () => run("keys", "list");
  let marks = 0;
  const figures = [
    await compare(
      "sold-out mark in 100k objects",
      "<= 4",
      () => run("menu", "sold-out", dish, ...(marks++ % 2 === 0 ? [] : ["--undo"])),
      listKeys,
    ),
    // An undo of an undo makes the edit again, so that each run changes one price.
    await (async () => {
      run("services", "update", SERVICE, "--price", "51.00");
      const undo = () => run("catalog", "undo", "--yes");
      return compare("undo of a price edit in 100k objects", "<= 5", undo, listKeys);
    })(),
  ];
  const daemon = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(daemon, /(http:\/\/127\.0\.0\.1:\d+)/, "0,1");
  const beside = await bookBesideUndos(url, target?.secret ?? "", business);
  return [...figures.map((figure) => ({ ...figure, id: "undo" })), beside];
}

/** Books one time after the other while commands undo the last change of the catalog. */
async function bookBesideUndos(url: string, secret: string, business: string[]): Promise<Figure> {
  const ended = new AbortController();
  let undos = 0;
  const undo = async () => {
    for (; !ended.signal.aborted; undos++) {
      const args = [BIN, "-q", "catalog", "undo", "--yes", ...business];
      const [code] = await once(spawn(process.execPath, args, { stdio: "ignore" }), "exit");
      if (code !== 0) throw new Error(`catalog undo exited with ${code}.`);
    }
  };
  const undoing = undo();
  const tookMs: number[] = [];
  let refused = 0;
  for (let n = 0; n < BOOKINGS; n++) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/v1/businesses/${SLUG}/bookings`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "idempotency-key": `beside-${n}`,
      },
      body: JSON.stringify({ startsAt: startOf(n), segments: [{ serviceId: SERVICE_ID }] }),
    });
    const text = await response.text();
    tookMs.push(performance.now() - startedAt);
    if (response.status === 503) refused += 1;
    else if (response.status !== 201) throw new Error(`HTTP ${response.status}: ${text}`);
  }
  ended.abort();
  await undoing;
  return {
    id: "undo",
    description: `bookings beside ${undos} undos in 100k objects that get 503`,
    ours: `${refused} of ${tookMs.length}, ${times(tookMs)}`,
    peer: null,
    ratio: null,
    goal: "0",
  };
}

/** Returns the start of the nth booking. All starts are after the stored bookings. */
function startOf(n: number): string {
  const day = FIRST_DAY.add({ days: 20 + Math.floor(n / 20) });
  const time = Temporal.PlainTime.from("08:00").add({ minutes: 30 * (n % 20) });
  const start = day.toZonedDateTime({ timeZone: "Europe/Lisbon", plainTime: time });
  return start.toString({ smallestUnit: "minute", timeZoneName: "never" });
}
