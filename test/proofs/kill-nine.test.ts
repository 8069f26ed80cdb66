import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createDice, type Dice } from "../../src/domain/catalog/dice.ts";
import type { Envelope } from "../../src/domain/envelope.ts";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/runtime.ts";
import { seededBox, serve, urlOf } from "../support/daemon.ts";
import { atScale } from "../support/scale.ts";

const ROUNDS = atScale(100, 1000);
/** Most daemons live so long after they have come up; the others are killed while they do. */
const LONGEST_LIFE_MS = 300;
const COMES_UP = 0.8;
/** What was sent so long before a death is answered, and its outcome written. */
const ON_THE_WIRE_MS = 1000;
/** What was sent right before a death may be read after it. */
const READ_AFTER_MS = 100;
const PATIENCE_MS = 20_000;

type Arrival = { deliveryId: string; eventId: string; type: string; priceCents: number | undefined; at: number };

/** A partner in this process, which no daemon takes down with it: it keeps a book of its own. */
async function openPartner(dice: Dice): Promise<{ url: string; book: Arrival[] }> {
  const book: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end").catch(() => {});
    if (!request.complete) return;
    const { id, type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
    const { priceCents } = data.object as { priceCents?: number };
    const deliveryId = String(request.headers["x-service-delivery"]);
    book.push({ deliveryId, eventId: id, type, priceCents, at: performance.now() });
    await sleep(dice.whole(0, 40));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, book };
}

/** Sets prices from another process, one after the other, as fast as they are acknowledged. */
function startEditor(dataDir: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    fileURLToPath(new URL("../support/editor.ts", import.meta.url)),
    dataDir,
  ]);
  const acknowledged: number[] = [];
  let next = 10_000;
  let isGoingOn = true;
  const ended = once(child, "exit");
  const set = () => (isGoingOn ? child.stdin.write(`${next}\n`) : child.stdin.end());
  createInterface({ input: child.stdout }).on("line", () => {
    acknowledged.push(next);
    next += 1;
    // So many that the daemon is never done, and few enough that it ever will be.
    setTimeout(set, 10);
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  set();
  return {
    acknowledged,
    async stop(): Promise<void> {
      isGoingOn = false;
      await ended;
    },
  };
}

test(
  `a daemon that is killed ${ROUNDS} times under load loses nothing that was acknowledged`,
  {
    timeout: atScale(90_000, 3_600_000),
  },
  async () => {
    const dice = createDice(atScale(5, Date.now()));
    const { dataDir, deskbell } = await seededBox();
    const partner = await openPartner(dice);
    const trusted = ["--url", partner.url, "--event", "all", "--allow-private", "--max-in-flight", "16"];
    await deskbell("webhooks", "add", "--name", "site", ...trusted);
    const editor = startEditor(dataDir);
    const deaths: number[] = [];
    const births: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      births.push(performance.now());
      const daemon = serve(dataDir);
      if (dice.chance(COMES_UP)) await daemon.sees(/"serving"/);
      await sleep(dice.whole(0, LONGEST_LIFE_MS));
      daemon.child.kill("SIGKILL");
      deaths.push(performance.now());
      await daemon.ended();
    }
    await editor.stop();

    births.push(performance.now());
    await urlOf(serve(dataDir));
    const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
    onTestFinished(rt.close);
    await expect.poll(() => rt.store.tallies.counts().PENDING, { timeout: PATIENCE_MS, interval: 20 }).toBe(0);
    const { DELIVERED: delivered, ...others } = rt.store.tallies.counts();
    expect(Object.values(others).filter((count) => count !== 0)).toEqual([]);
    expect(new Set(partner.book.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);

    const told = new Set(
      partner.book.filter(({ type }) => type === "service.updated").map(({ priceCents }) => priceCents),
    );
    expect(editor.acknowledged.filter((price) => !told.has(price))).toEqual([]);
    expect(editor.acknowledged.length).toBeGreaterThan(ROUNDS);

    // Whatever came twice was on the wire when a daemon died, and came again soon after the start of the next one.
    const repeated = [...Map.groupBy(partner.book, ({ deliveryId }) => deliveryId).values()].flatMap((arrivals) =>
      arrivals.slice(1).map(({ at }, i) => ({ first: arrivals[i]!.at, again: at })),
    );
    const isExplained = ({ first, again }: (typeof repeated)[number]) =>
      deaths.some((death) => death > first - READ_AFTER_MS && death < Math.min(again, first + ON_THE_WIRE_MS));
    expect(repeated.filter((pair) => !isExplained(pair))).toEqual([]);
    const afterStartMs = repeated.map(({ again }) => again - births.findLast((birth) => birth < again)!);
    expect(Math.max(...afterStartMs)).toBeLessThan(10_000);
    const [acknowledged, slowestMs] = [editor.acknowledged.length, Math.round(Math.max(...afterStartMs))];
    console.log(
      `${ROUNDS} deaths, ${acknowledged} changes, ${delivered} deliveries, ${repeated.length} of them twice,`,
    );
    console.log(`the slowest of these ${slowestMs} ms after the start of the process`);
  },
);
