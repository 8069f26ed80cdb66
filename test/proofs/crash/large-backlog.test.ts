import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { EndpointRow } from "../../../src/store/webhooks/endpoints.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { spawnDaemon } from "../../support/daemon.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { assertTook, patient } from "../../support/patience.ts";

const ENDPOINTS = 40;
const EVENTS = chooseScale(50, 25_000, 2500);
const BACKLOG = ENDPOINTS * EVENTS;
const FIRST_POST_MS = 10_000;
const MAX_RSS_MB = 250;
const POLLS = 200;

/** Stores a backlog: copies of one event, each with a delivery to every endpoint. */
async function storeBacklog(rt: TestRuntime, url: string): Promise<void> {
  const business = addBusiness(rt);
  for (let i = 0; i < ENDPOINTS; i++) await subscribe(rt, business, `${url}${i}`);
  emitEvents(rt, business, "service.updated");
  const db = new Database(rt.config.databasePath);
  db.transaction(() => {
    db.exec(`
      CREATE TEMP TABLE delivery_template AS SELECT * FROM delivery;
      WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
      INSERT INTO event (id, business_id, sequence, type, body, sha256, created_at)
      SELECT printf('evt_%025d', i), business_id, sequence + i, type, body, sha256, created_at
      FROM n, (SELECT * FROM event ORDER BY rowid LIMIT 1);
      INSERT INTO delivery (id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count, next_attempt_at, created_at)
      SELECT printf('dlv_%025d', row_number() OVER ()), t.business_id, t.endpoint_id, event.id, t.event_type, event.sequence,
        'PENDING', 0, t.next_attempt_at, t.created_at
      FROM event, delivery_template AS t WHERE event.id LIKE 'evt_000000%';
      INSERT OR REPLACE INTO delivery_count SELECT business_id, status, count(*) FROM delivery GROUP BY 1, 2;
      UPDATE business SET last_sequence = (SELECT max(sequence) FROM event);`);
  })();
  db.close();
}

function medianUs(run: () => void): number {
  const times = Array.from({ length: POLLS }, () => {
    const startedAt = performance.now();
    run();
    return (performance.now() - startedAt) * 1000;
  });
  return times.toSorted((x, y) => x - y)[POLLS / 2] ?? NaN;
}

test(
  `a daemon with ${BACKLOG} pending deliveries sends the first one soon after its start`,
  { timeout: patient(chooseScale(20_000, 600_000, 120_000)) },
  async () => {
    const receiver = createServer(() => receiver.emit("received")).listen(0, "127.0.0.1");
    onTestFinished(() => {
      receiver.close();
      receiver.closeAllConnections();
    });
    await once(receiver, "listening");
    const rt = createTestRuntime({}, Date.now() - 60_000);
    const { port } = receiver.address() as AddressInfo;
    await storeBacklog(rt, `http://127.0.0.1:${port}/`);
    expect(rt.store.tallies.countByStatus()).toEqual({ PENDING: BACKLOG });

    const startedAt = performance.now();
    const received = once(receiver, "received");
    const daemon = spawnDaemon(rt.config.dataDir);
    await received;
    const firstPostMs = Math.round(performance.now() - startedAt);
    assertTook("The first POST after the start", firstPostMs, FIRST_POST_MS);
    const status = readFileSync(`/proc/${daemon.pid}/status`, "utf8");
    const rssMb = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
    daemon.child.kill("SIGKILL");
    await daemon.waitForExit();
    expect(rssMb).toBeLessThan(MAX_RSS_MB);
    if (!isRecording()) return;

    const pollUs = medianUs(() => void rt.revision());
    const [{ id }] = rt.store.endpoints.list() as [EndpointRow];
    const sweep = () => void rt.store.due.listForEndpoint(id, 0, 32);
    const sweepUs = medianUs(sweep);
    const db = new Database(rt.config.databasePath);
    db.exec("DROP INDEX delivery_due");
    db.close();
    const slowUs = medianUs(sweep);
    recordClaim({
      group: "crash",
      claim: "A backlog of a million deliveries delays neither the start nor the next delivery",
      done: `The daemon was restarted with ${BACKLOG} pending deliveries to ${ENDPOINTS} endpoints.`,
      figure: `The first POST was sent ${firstPostMs} ms after the start of the process, which used at most ${rssMb} MB of memory until then; a poll takes ${pollUs.toFixed(1)} microseconds, and the search for due deliveries ${sweepUs.toFixed(1)} microseconds (medians).`,
      control: {
        done: "The search for due deliveries ran without its index.",
        figure: `It took ${Math.round(slowUs)} microseconds.`,
        hasFailed: slowUs > 5 * sweepUs,
      },
      seed: "none",
    });
  },
);
