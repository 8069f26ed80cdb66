import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";

/** How often counters are stored. A kill may lose the requests since then. */
const STORE_INTERVAL_MS = 5000;

test(
  "rate limit counters survive a kill -9, except for the last five seconds",
  { timeout: 60_000 },
  async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const key = await deskbell(
      "keys",
      "create",
      "--name",
      "site",
      "--scope",
      "services.read",
      "--limit-hour",
      "100",
    );
    const ask = async (url: string) =>
      fetch(`${url}/v1/businesses/salon-aurora/staff`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const left = async (url: string): Promise<number> =>
      Number(/"per-hour";r=(\d+)/.exec((await ask(url)).headers.get("ratelimit") ?? "")?.[1]);

    const first = spawnDaemon(dataDir);
    const url = await waitForUrl(first);
    for (let i = 0; i < 30; i++) expect((await ask(url)).status).toBe(200);
    await delay(STORE_INTERVAL_MS + 1000);
    for (let i = 0; i < 9; i++) await ask(url);
    expect(await left(url)).toBe(60);
    first.child.kill("SIGKILL");
    await first.waitForExit();

    const after = await left(await waitForUrl(spawnDaemon(dataDir)));
    // The request that reads the header counts too.
    expect(after).toBeGreaterThanOrEqual(59);
    expect(after).toBeLessThanOrEqual(69);
  },
);
