import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { runCompetingWriters } from "../../support/competing-writers.ts";
import { spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { OutOfPatience, patient } from "../../support/patience.ts";

const REQUESTS = 55;
const COMMANDS = 5;

/** Lets a daemon, commands and other processes write to one file. */
async function compete(work: { requests: number; commands: number }, program = PROGRAM) {
  const rt = createTestRuntime({}, Date.now());
  seedShop(rt);
  const owner = { businessId: businessId(SHOP_SLUG), name: "site" };
  const { key, secret } = createKey(rt, { ...owner, kind: "SECRET", scopes: [] });
  const { endpoint } = await createEndpoint(
    rt,
    {
      ...owner,
      keyId: key.id,
      url: "https://a.example/",
      events: ["service.updated"],
      allowPrivate: false,
    },
    () => Promise.resolve(["93.184.216.34"]),
  );
  const { dataDir } = rt.config;
  const url = await waitForUrl(spawnDaemonOf(program, dataDir));
  const path = `/v1/businesses/${SHOP_SLUG}/webhooks/${endpoint.id}`;
  return runCompetingWriters({ dataDir, url, path, secret, ...work });
}

async function runControl(): Promise<Claim["control"]> {
  const program = breakProgram({
    file: "src/http/pipeline/idempotency.ts",
    find: "WRITE_TIMEOUT_MS = 2000",
    replace: "WRITE_TIMEOUT_MS = 0",
  });
  const { failedStatuses } = await compete({ requests: REQUESTS, commands: 0 }, program);
  return {
    done: "The same requests were sent to a daemon that does not wait for its turn.",
    figure: `${failedStatuses.length} of ${REQUESTS} requests were refused.`,
    hasFailed: failedStatuses.length > 0,
  };
}

test(
  "no request, command or other writer is refused as busy beside two processes that write in a loop",
  { timeout: patient(120_000) },
  async () => {
    // A writer that is refused makes `compete` throw.
    const { loopMs, writeMs, requestMs, ...failures } = await compete({
      requests: REQUESTS,
      commands: COMMANDS,
    });
    const { failedStatuses, failedCommands } = failures;
    expect(failedStatuses.filter((status) => status !== 503)).toEqual([]);
    const refused = failedStatuses.length + failedCommands.length;
    if (refused > 0) throw new OutOfPatience(`${refused} writers waited too long for their turn.`);
    expect(loopMs.length).toBeGreaterThan(writeMs.length);
    expect(writeMs.length).toBeGreaterThan(0);
    if (!isRecording()) return;
    recordClaim({
      group: "faults",
      claim: "No request or command is refused because other processes write to the data",
      done: `${REQUESTS} requests and ${COMMANDS} commands wrote beside two processes that write without a pause and one that pauses.`,
      figure: `None was refused, and the slowest request took ${Math.ceil(Math.max(...requestMs))} ms.`,
      control: await runControl(),
      seed: "none",
    });
  },
);
