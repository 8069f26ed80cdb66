import { join } from "node:path";
import { createKey } from "../../src/app/keys.ts";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { readConfig } from "../../src/config.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { runCompetingWriters } from "../support/competing-writers.ts";
import { BIN } from "../support/program.ts";
import { seedShop, SHOP_SLUG } from "../support/shop.ts";
import type { Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const LIMIT = 1_000_000_000;
const REQUESTS = 200;
const COMMANDS = 20;

/**
 * Measures R8: how long a writer, an HTTP client and commands wait while two other writers never
 * pause.
 */
export async function benchWriters(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  seedShop(rt);
  const owner = { businessId: businessId(SHOP_SLUG), name: "bench" };
  const limits = { limitMinute: LIMIT, limitHour: LIMIT };
  const { key, secret } = createKey(rt, { ...owner, kind: "SECRET", scopes: [], ...limits });
  const { endpoint } = await createEndpoint(
    rt,
    {
      ...owner,
      keyId: key.id,
      url: "https://example.com/",
      events: ["service.updated"],
      allowPrivate: false,
    },
    () => Promise.resolve(["93.184.216.34"]),
  );
  rt.close();
  const daemon = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(daemon, /(http:\/\/127\.0\.0\.1:\d+)/);
  const path = `/v1/businesses/${SHOP_SLUG}/webhooks/${endpoint.id}`;
  const measured = await runCompetingWriters({
    dataDir,
    url,
    path,
    secret,
    requests: REQUESTS,
    commands: COMMANDS,
  });
  const { loopMs, writeMs, requestMs, failedStatuses, failedCommands } = measured;
  return [
    {
      id: "R8",
      description: `a write beside two writers that never pause (${loopMs.length} writes), an HTTP client and commands`,
      ours: describe(writeMs),
      peer: null,
      ratio: null,
      goal: "p99 <= 250 ms",
    },
    {
      id: "R8",
      description: `the HTTP client's ${REQUESTS} writes, and ${COMMANDS} commands`,
      ours: `${describe(requestMs)}; ${failedStatuses.length} not 200, ${failedCommands.length} commands failed`,
      peer: null,
      ratio: null,
      goal: "none fails",
    },
  ];
}

function describe(tookMs: number[]): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const quantile = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(
      0,
    );
  return `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(1)} ms of ${sorted.length}`;
}
