import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { breakProgram } from "../../support/broken-program.ts";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { createSeededSalon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { patient } from "../../support/patience.ts";

/** The interval at which counters are stored. A kill may lose the requests since then. */
const STORE_INTERVAL_MS = 5000;

const LIMIT = 100;
const SAVED = 30;
const UNSAVED = 10;

/** Waits until the counts are stored. The broken daemon of the control never stores them. */
async function waitForStored(dataDir: string): Promise<void> {
  const db = new Database(join(dataDir, "deskbell.db"), { readonly: true });
  const sum = db.prepare("SELECT total(count) FROM rate_count").pluck();
  const endsAt = performance.now() + patient(STORE_INTERVAL_MS + 1000);
  while ((sum.get() as number) < SAVED && performance.now() < endsAt) await delay(100);
  db.close();
}

/**
 * Kills a daemon some seconds after `SAVED` requests and right after `UNSAVED` others.
 * @returns how many requests of the hour are left, before and after the kill
 */
async function killAfterRequests(program = PROGRAM): Promise<{ before: number; after: number }> {
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell(
    "keys",
    "create",
    "--name",
    "site",
    "--scope",
    "services.read",
    "--limit-hour",
    String(LIMIT),
  );
  const ask = async (url: string) =>
    fetch(`${url}/v1/businesses/salon-aurora/staff`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const left = async (url: string): Promise<number> =>
    Number(/"per-hour";r=(\d+)/.exec((await ask(url)).headers.get("ratelimit") ?? "")?.[1]);

  const first = spawnDaemonOf(program, dataDir);
  const url = await waitForUrl(first);
  for (let i = 0; i < SAVED; i++) expect((await ask(url)).status).toBe(200);
  await waitForStored(dataDir);
  // The request that reads the header counts too.
  for (let i = 1; i < UNSAVED; i++) await ask(url);
  const before = await left(url);
  first.child.kill("SIGKILL");
  await first.waitForExit();
  return { before, after: await left(await waitForUrl(spawnDaemonOf(program, dataDir))) };
}

/**
 * The maximum of requests that may be left after a kill. The request that asks for this number
 * counts, too.
 */
const MOST_LEFT = LIMIT - SAVED - 1;

async function runControl(): Promise<Claim["control"]> {
  const program = breakProgram({
    file: "src/http/auth/rate-limits.ts",
    find: "saveRateCounts(rt, counts, unsavedJumpSeconds);",
    replace: "",
  });
  const { after } = await killAfterRequests(program);
  return {
    done: "A daemon that does not save its counts was killed.",
    figure: `${after} of ${LIMIT} requests were left after the kill.`,
    hasFailed: after > MOST_LEFT,
  };
}

test(
  "rate limit counters survive a kill -9, except for the last five seconds",
  { timeout: patient(60_000) },
  async () => {
    const { before, after } = await killAfterRequests();
    expect(before).toBe(LIMIT - SAVED - UNSAVED);
    expect(after).toBeGreaterThanOrEqual(before - 1);
    expect(after).toBeLessThanOrEqual(MOST_LEFT);
    if (!isRecording()) return;
    recordClaim({
      group: "crash",
      claim:
        "A crash does not give a client more requests than its limit, except those of the last five seconds",
      done: `A client sent ${SAVED} requests and, six seconds later, ${UNSAVED} others; then the daemon was killed with kill -9.`,
      figure: `${before} of ${LIMIT} requests were left before the kill, and ${after} after it.`,
      control: await runControl(),
      seed: "none",
    });
  },
);
