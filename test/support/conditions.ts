import { chmodSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { revokeKey } from "../../src/app/key-end.ts";
import { createKey, updateKey } from "../../src/app/keys.ts";
import { disableEndpoint } from "../../src/app/webhooks/endpoint-lifecycle.ts";
import type { ConditionCode } from "../../src/domain/conditions/registry.ts";
import type { KeysIn } from "../../src/features/index.ts";
import { NO_STREAK } from "../../src/domain/webhooks/failing-endpoint.ts";
import type { BusinessRow } from "../../src/store/businesses.ts";
import { acquireDaemonLock } from "../../src/store/database/database.ts";
import { edit } from "./edit-database.ts";
import { addBusiness, emitEvents, subscribe } from "./delivery.ts";
import { createTestRuntime, type TestRuntime } from "./test-runtime.ts";
import { releasedHold } from "./visit-rows.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export type RunningServer = TestRuntime & {
  business: BusinessRow;
  endpointId: string;
  /** Stops the daemon, and returns a function that starts it again. */
  stopDaemon: () => () => void;
};

/** Creates a server without open conditions: a business with an endpoint, a backup and a daemon. */
export async function createRunningServer(...args: Parameters<typeof createTestRuntime>) {
  const rt = createTestRuntime(...args);
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  await prepareForFeatures(rt);
  rt.freeBytes = () => 10_000_000_000;
  const url = "http://127.0.0.1:1";
  rt.tx(() => rt.store.daemon.save({ url, startedAt: rt.now(), hasAlertUrl: true }));
  let lock = acquireDaemonLock(rt.config.databasePath);
  const stopDaemon = () => {
    lock.release();
    return () => void (lock = acquireDaemonLock(rt.config.databasePath));
  };
  return Object.assign(rt, { business, endpointId: endpoint.id, stopDaemon });
}

export type End = () => void | Promise<void>;

const setFreeBytes = (rt: TestRuntime, bytes: number): End => {
  const before = rt.freeBytes;
  rt.freeBytes = () => bytes;
  return () => void (rt.freeBytes = before);
};

const replaceFile = (path: string, text: string | undefined): End => {
  const before = readFileSync(path);
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  return () => writeFileSync(path, before, { mode: 0o600 });
};

const setStreak = (rt: RunningServer, disableAt: number | null, id = rt.endpointId): End => {
  const failingSince = rt.now() - 10 * MINUTE_MS;
  const streak = { ...NO_STREAK, failingSince, failureCount: 5, disableAt };
  rt.tx(() => rt.store.endpoints.updateStreak(id, streak));
  return () => rt.tx(() => rt.store.endpoints.updateStreak(id, NO_STREAK));
};

const setCertificate = (rt: TestRuntime, expiresAt: number): End => {
  const save = (at: number) => rt.tx(() => rt.store.daemon.saveCertificateExpiry(at));
  save(expiresAt);
  return () => save(rt.now() + 90 * DAY_MS);
};

/** Emits an event, and lets `ms` pass while its delivery is due and nothing sends it. */
const delayDelivery = (rt: RunningServer, ms: number): End => {
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(ms);
  return () => edit(rt, "UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL");
};

/** A function that makes one condition begin, and returns a function that makes it end. */
export type Injection = (rt: RunningServer) => End | Promise<End>;

const CORE_INJECTIONS: Record<Exclude<ConditionCode, KeysIn<"conditions">>, Injection> = {
  "storage.gone": ({ config: { databasePath } }) => {
    renameSync(databasePath, `${databasePath}.away`);
    return () => renameSync(`${databasePath}.away`, databasePath);
  },
  "storage.read_only": (rt) => {
    rt.isDiskReadOnly = () => true;
    return () => void (rt.isDiskReadOnly = () => false);
  },
  "storage.full": (rt) => setFreeBytes(rt, 1000),
  "storage.low": (rt) => setFreeBytes(rt, 400_000_000),
  "database.damaged": (rt) => {
    const findMissingRow = vi.spyOn(rt.store.file, "findMissingRow").mockReturnValue("a row");
    return () => findMissingRow.mockRestore();
  },
  "daemon.stopped": (rt) => rt.stopDaemon(),
  "delivery.stalled": (rt) => delayDelivery(rt, 3 * MINUTE_MS),
  "deliveries.stuck": (rt) => {
    const end = delayDelivery(rt, 61 * MINUTE_MS);
    // The recorded attempt stands for another endpoint, at which deliveries still succeed.
    rt.tx(() => rt.store.tallies.addAttempts(rt.business.id, rt.now(), 1, 0));
    return end;
  },
  "delivery.corrupt": (rt) => {
    emitEvents(rt, rt.business, "service.updated");
    const setStatus = (status: string): void =>
      edit(
        rt,
        `UPDATE delivery SET status = '${status}', next_attempt_at = NULL; UPDATE delivery_count SET status = '${status}'`,
      );
    setStatus("CORRUPT");
    return () => setStatus("CANCELLED");
  },
  "master_key.missing": (rt) => replaceFile(rt.config.masterKeyPath, undefined),
  "master_key.wrong": (rt) =>
    replaceFile(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`),
  "signing_secret.wrong": async (rt) => {
    const { endpoint } = await subscribe(rt, rt.business, "http://10.0.0.1/other");
    const where = `WHERE endpoint_id = '${endpoint.id}'`;
    edit(rt, `UPDATE endpoint_secret SET id = id || 'x' ${where}`);
    return () => edit(rt, `UPDATE endpoint_secret SET id = substr(id, 1, length(id) - 1) ${where}`);
  },
  "tls.expired": (rt) => setCertificate(rt, rt.now() - 1),
  "tls.expiring": (rt) => setCertificate(rt, rt.now() + 13 * DAY_MS),
  "guests.in_log": (rt) => {
    const { file } = rt.store;
    rt.tx(() => file.saveLogKeptSince(rt.now() - 31 * MINUTE_MS));
    return () => rt.tx(() => file.forgetLogKeptSince(file.findLogKeptSince() ?? 0));
  },
  "clock.wrong": (rt) => {
    const { daemon } = rt.store;
    rt.tx(() => daemon.save({ url: "http://127.0.0.1:1", startedAt: rt.now() + DAY_MS }));
    return () => rt.advance(DAY_MS);
  },
  "clock.differs": (rt) => {
    const clockSource = rt.machineClock.source();
    const save = (clockOffsetMs: number | null) =>
      rt.tx(() => {
        const url = "http://127.0.0.1:1";
        rt.store.daemon.save({ url, startedAt: rt.now(), clockSource, clockOffsetMs });
      });
    const offset = () => Math.round(rt.machineClock.offset());
    save(offset() + DAY_MS);
    return () => save(offset());
  },
  "files.exposed": ({ config: { masterKeyPath } }) => {
    chmodSync(masterKeyPath, 0o644);
    return () => chmodSync(masterKeyPath, 0o600);
  },
  "history.cut": (rt) => {
    rt.tx(() => rt.store.history.saveCutUntil(rt.now()));
    return () => edit(rt, "UPDATE history SET cut_until = NULL");
  },
  "key.in_browser": (rt) => {
    const { id: businessId } = rt.business;
    const { key } = createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });
    rt.advance(1);
    rt.tx(() => rt.store.keys.markSeenInBrowser(key.id, rt.now()));
    return () => edit(rt, "UPDATE api_key SET browser_seen_at = NULL");
  },
  "key.no_secret": (rt) => {
    const { id: businessId } = rt.business;
    const { key } = createKey(rt, { businessId, name: "site", kind: "SECRET", scopes: [] });
    edit(rt, `DELETE FROM api_key_secret WHERE key_id = '${key.id}'`);
    return () => void revokeKey(rt, key.id);
  },
  "key.expiring": async (rt) => {
    const { id: businessId } = rt.business;
    const { key } = createKey(rt, {
      businessId,
      name: "portal",
      kind: "RESTRICTED",
      scopes: ["webhooks.write"],
      expiresAt: rt.now() + 40 * DAY_MS,
    });
    const url = "http://10.0.0.1/portal";
    const { endpoint } = await subscribe(rt, rt.business, url, undefined, key.id);
    edit(
      rt,
      `UPDATE api_key SET expires_at = ${rt.now() + 13 * DAY_MS}, created_at = ${rt.now() - 90 * DAY_MS}`,
    );
    return () => {
      updateKey(rt, key.id, { expiresAt: rt.now() + 90 * DAY_MS });
      disableEndpoint(rt, endpoint.id, "manual");
    };
  },
  "holds.unused": (rt) => {
    const { id: businessId } = rt.business;
    const scopes = ["bookings.write"];
    const { key } = createKey(rt, { businessId, name: "site", kind: "RESTRICTED", scopes });
    rt.tx(() => {
      for (let n = 0; n < 100; n++)
        rt.store.holds.insert(businessId, releasedHold(rt.newId("hld"), key.id, rt.now()));
    });
    return () => edit(rt, "DELETE FROM hold");
  },
  "key.booking_fast": (rt) => {
    const { id: businessId } = rt.business;
    const scopes = ["bookings.write"];
    const input = { businessId, name: "site", kind: "RESTRICTED" as const, scopes };
    const { key } = createKey(rt, { ...input, maxBookingsDay: 20 });
    const hour = Math.floor(rt.now() / 3_600_000);
    rt.tx(() => {
      for (let n = 0; n < 5; n++) rt.store.keyVisits.increment(key.id, hour);
    });
    return () => edit(rt, "DELETE FROM key_visits");
  },
  "booking.undecided": (rt) => {
    const startsAt = rt.now() + 2 * DAY_MS;
    const visit = {
      id: "rsv_1",
      status: "PENDING" as const,
      startsAt,
      endsAt: startsAt + 60 * MINUTE_MS,
      customerRef: null,
      createdByKey: null,
      cancelUntil: startsAt,
      decideBy: rt.now() + 20 * MINUTE_MS,
      cancelledBy: null,
      cancelReason: null,
      version: 1,
      createdAt: rt.now(),
      updatedAt: rt.now(),
      partySize: 2,
      areaId: null,
      tableId: "tbl_1",
    };
    rt.tx(() => rt.store.reservations.insert(rt.business.id, visit));
    rt.advance(11 * MINUTE_MS);
    return () => edit(rt, "UPDATE reservation SET status = 'CONFIRMED', decide_by = NULL");
  },
  "proxy.one_address": (rt) => {
    rt.tx(() => rt.store.daemon.saveSharedAddress("10.0.0.1"));
    return () => rt.tx(() => rt.store.daemon.saveSharedAddress(null));
  },
  "connections.full": (rt) => {
    rt.tx(() => rt.store.daemon.saveConnectionsFull("2001:db8::/48"));
    return () => rt.tx(() => rt.store.daemon.saveConnectionsFull(null));
  },
  "metrics.refused": (rt) => {
    rt.tx(() => rt.store.daemon.saveMetricsRefused("/metrics"));
    return () => rt.tx(() => rt.store.daemon.saveMetricsRefused(null));
  },
  "network.out": async (rt) => {
    const ends: End[] = [];
    for (const host of ["10.0.0.2", "10.0.0.3", "10.0.0.4"]) {
      const { endpoint } = await subscribe(rt, rt.business, `http://${host}/`);
      ends.push(setStreak(rt, null, endpoint.id));
    }
    return async () => {
      for (const end of ends) await end();
    };
  },
  "endpoint.key_ended": async (rt) => {
    const { id: businessId } = rt.business;
    const scopes = ["webhooks.write"];
    const { key } = createKey(rt, { businessId, name: "former", kind: "RESTRICTED", scopes });
    const url = "http://10.0.0.1/former";
    const { endpoint } = await subscribe(rt, rt.business, url, undefined, key.id);
    edit(rt, `UPDATE api_key SET revoked_at = ${rt.now()}, endpoints_at_end = 'UNDECIDED'`);
    return () => void disableEndpoint(rt, endpoint.id, "manual");
  },
  "endpoint.failing": (rt) => setStreak(rt, null),
  "endpoint.unreliable": (rt) => {
    emitEvents(rt, rt.business, ...Array<"service.updated">(10).fill("service.updated"));
    edit(
      rt,
      `INSERT INTO attempt (delivery, n, at, duration_ms, outcome, status_code, error)
       SELECT number, 1, ${rt.now()}, 1, 'responded', 200 + number % 2 * 300, CASE number % 2 WHEN 1 THEN 'HTTP 500' END
       FROM delivery WHERE status = 'PENDING';
       UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL`,
    );
    return () => edit(rt, "DELETE FROM attempt");
  },
  "endpoint.disabling": (rt) => setStreak(rt, rt.now() + DAY_MS),
  "endpoint.disabled": (rt) => {
    const { endpoints } = rt.store;
    rt.tx(() => endpoints.updateStatus(rt.endpointId, "DISABLED", "gone", rt.now()));
    return () => rt.tx(() => endpoints.updateStatus(rt.endpointId, "ACTIVE", null, rt.now()));
  },
};

type OfFeature = {
  injections: object;
  /** The feature's conditions that commands find, but the daemon cannot. */
  commandsOnly?: readonly ConditionCode[];
  /** Gives a server what the feature would report as missing, such as a backup of the last day. */
  prepare?: (rt: TestRuntime) => unknown;
  /** Gives a prepared server what the feature recommends in `doctor`. */
  followAdvice?: (rt: TestRuntime) => unknown;
};

/** Each feature's conditions are caused by test/features/<name>/injections.ts. */
const ofFeatures = await Promise.all(
  globSync("../features/*/injections.ts", { cwd: import.meta.dirname }).map(
    async (file) => (await import(join(import.meta.dirname, file))) as OfFeature,
  ),
);

/**
 * Conditions that the daemon cannot find itself. It runs while it checks, so it cannot find
 * `daemon.stopped`, and it would compare its own clock with itself for `clock.differs`.
 */
export const COMMANDS_ONLY: ReadonlySet<ConditionCode> = new Set([
  "daemon.stopped",
  "clock.differs",
  ...ofFeatures.flatMap(({ commandsOnly = [] }) => commandsOnly),
]);

export async function prepareForFeatures(rt: TestRuntime): Promise<void> {
  for (const { prepare } of ofFeatures) await prepare?.(rt);
}

export async function followAdviceOfFeatures(rt: TestRuntime): Promise<void> {
  for (const { followAdvice } of ofFeatures) await followAdvice?.(rt);
}

export const INJECTIONS: Readonly<Record<ConditionCode, Injection>> = Object.assign(
  {},
  CORE_INJECTIONS,
  ...ofFeatures.map(({ injections }) => injections),
);
