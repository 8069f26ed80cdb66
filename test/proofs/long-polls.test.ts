import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { assertTook, patient } from "../support/patience.ts";

const EDITOR = fileURLToPath(new URL("../support/price-editor.ts", import.meta.url));
const CLIENTS = 100;
const TICK_MS = 10;

type Feed = { data: unknown[]; page: { nextCursor: string } };

async function setUp() {
  const { dataDir, deskbell } = await createSeededSalon();
  const limits = ["--limit-minute", "1000000", "--limit-hour", "1000000"];
  const key = await deskbell(
    "keys",
    "create",
    "--name",
    "site",
    "--scope",
    "webhooks.read",
    ...limits,
  );
  const daemon = spawnDaemon(dataDir);
  const url = await waitForUrl(daemon);
  const changes = async (query: string): Promise<Feed> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/v1/businesses/salon-aurora/changes?limit=500${query}`, {
      headers,
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Feed;
  };
  const { page } = await changes("");
  return { dataDir, daemon, changes, end: page.nextCursor };
}

/** Returns the CPU time that a process has used so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function openEditor(dataDir: string): (price: number) => Promise<number> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [EDITOR, dataDir]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return async (price) => {
    child.stdin.write(`${price}\n`);
    await once(child.stdout, "data");
    return performance.now();
  };
}

test(
  "a long poll returns a change of another process within 100 ms of its commit",
  { timeout: patient(60_000) },
  async () => {
    const { dataDir, changes, end } = await setUp();
    const setPrice = openEditor(dataDir);
    await setPrice(1000);
    let { page } = await changes(`&after=${end}`);
    const lateMs: number[] = [];
    for (let i = 1; i <= 15; i++) {
      const waiting = changes(`&after=${page.nextCursor}&wait=20`).then((feed) => ({
        feed,
        at: performance.now(),
      }));
      await delay(50);
      const committedAt = await setPrice(1000 + i);
      const { feed, at } = await waiting;
      expect(feed.data).not.toEqual([]);
      lateMs.push(at - committedAt);
      page = feed.page;
    }
    // The median counts, because a busy machine causes outliers.
    const median = lateMs.toSorted((x, y) => x - y)[7] ?? NaN;
    assertTook("The median response", median, 100);
  },
);

test(
  `${CLIENTS} idle long polls use less than 3 % of a CPU core`,
  { timeout: patient(60_000) },
  async () => {
    const { daemon, changes, end } = await setUp();
    const waiting = Array.from({ length: CLIENTS }, () => changes(`&after=${end}&wait=6`));
    // The cost of starting and connecting is not measured.
    await delay(1500);
    const [before, startedAt] = [cpuMs(daemon.pid), performance.now()];
    await delay(3500);
    const share = (cpuMs(daemon.pid) - before) / (performance.now() - startedAt);
    console.info(`${CLIENTS} idle long polls: ${(share * 100).toFixed(2)} % of a core`);
    expect(share).toBeLessThan(0.03);
    for (const { data } of await Promise.all(waiting)) expect(data).toEqual([]);
  },
);
