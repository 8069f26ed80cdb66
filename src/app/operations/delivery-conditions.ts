import { existsSync } from "node:fs";
import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { lazy } from "../../domain/lazy.ts";
import { countOf, isoSeconds, shellQuote, summarizeNames } from "../../domain/text.ts";
import { needsAttention } from "../../domain/webhooks/failing-endpoint.ts";
import { isResponse } from "../../domain/webhooks/settle.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { businessOf, describeOwner } from "../businesses.ts";
import { andOtherSecrets, iterateGuests, iterateSecrets } from "../master-key.ts";
import type { Runtime } from "../runtime.ts";
import { lastErrorSuffix } from "../webhooks/endpoint-lifecycle.ts";
import { findEndedKey } from "../webhooks/endpoint-owner.ts";
import { limitedHost, listLimitedHosts } from "../webhooks/host-limits.ts";

/**
 * The longest time without an attempt while deliveries are due: an attempt takes up to 30 s, and
 * attempts are counted per minute.
 */
const STUCK_MS = 2 * 60_000;

/** Reports due webhooks of healthy endpoints while the daemon makes no attempt. */
export function checkDeliveryWorker(rt: Runtime, startedAt: number | null): HealthCondition[] {
  const stuckBefore = rt.now() - STUCK_MS;
  const dueAt = rt.store.due.getNextHealthyAttemptAt(rt.now());
  if (startedAt === null || startedAt > stuckBefore) return [];
  if (dueAt === null || dueAt > stuckBefore) return [];
  const hasAttempts = rt.store.tallies.listMinutes(stuckBefore).length > 0;
  if (hasAttempts || !isAnySendable(rt, stuckBefore)) return [];
  return [
    openCondition(
      "delivery.stalled",
      `webhooks have been due since ${isoSeconds(dueAt)}, but the daemon sends none: restart it`,
      "deskbell deliveries list --status PENDING",
      { since: dueAt },
    ),
  ];
}

/** Returns whether a delivery that is due by `dueAt` could have been sent. */
function isAnySendable(rt: Runtime, dueAt: number): boolean {
  const isSendable = createSendableFilter(rt, dueAt);
  return rt.store.due.listDueEndpoints(dueAt).some((id) => {
    const endpoint = rt.store.endpoints.findById(id);
    return endpoint !== undefined && isSendable(endpoint);
  });
}

/**
 * Returns a function that tells whether a working daemon would have sent the deliveries of an
 * endpoint that were due at `dueAt`. The daemon does not send to an endpoint that fails or has a
 * backoff or whose key has expired, to a host that has reached its hourly limit, or to an endpoint
 * with a secret that it cannot decrypt. Failures, keys and secrets have conditions of their own.
 */
function createSendableFilter(rt: Runtime, dueAt: number): (endpoint: EndpointRow) => boolean {
  const limited = new Set<string | null>(listLimitedHosts(rt));
  const paused = new Set(rt.store.endpoints.listPaused(rt.now()).map(({ id }) => id));
  // The secrets are decrypted only once an endpoint has passed all other tests.
  const unsigned = lazy(() => new Set(listUnsigned(rt)));
  return (endpoint) =>
    endpoint.failingSince === null &&
    (endpoint.heldUntil ?? 0) <= dueAt &&
    !paused.has(endpoint.id) &&
    !limited.has(limitedHost(endpoint)) &&
    !unsigned().has(endpoint.id);
}

/**
 * Returns the endpoints with a secret that the master key does not decrypt; none if the key
 * decrypts no secret at all, because that is a problem of the whole server.
 */
function listUnsigned(rt: Runtime): string[] {
  const rows = [...iterateSecrets(rt)];
  const undecryptable = rt.secrets.listUndecryptable(rows);
  if (undecryptable.length === rows.length) return [];
  return undecryptable.flatMap(({ endpointId }) => endpointId ?? []);
}

/**
 * A delivery that has been due for this long is late. Waiting for other deliveries of the endpoint
 * or host takes minutes at most.
 */
const LATE_MS = 3_600_000;

/**
 * Reports deliveries that have been due for an hour, if at least half of the active endpoints to
 * which the daemon could send have such deliveries. Redeliveries do not count, because thousands
 * may be requested at once.
 */
export function checkLateDeliveries(
  rt: Runtime,
  endpoints: readonly EndpointRow[],
  startedAt: number | null,
): HealthCondition[] {
  const dueBefore = rt.now() - LATE_MS;
  // A daemon that has just started still has its backlog to send.
  if (startedAt === null || startedAt > dueBefore) return [];
  const late = new Set(rt.store.due.listLateEndpoints(dueBefore));
  if (late.size === 0) return [];
  const isSendable = createSendableFilter(rt, dueBefore);
  const waiting = endpoints.filter((endpoint) => late.has(endpoint.id) && isSendable(endpoint));
  if (waiting.length === 0) return [];
  const active = endpoints.filter(
    (endpoint) => endpoint.status === "ACTIVE" && isSendable(endpoint),
  );
  if (waiting.length * 2 < active.length) return [];
  return [
    openCondition(
      "deliveries.stuck",
      `webhooks to ${waiting.length} of ${countOf(active.length, "endpoint")} have been due for over an hour: ${summarizeNames(waiting.map(({ name }) => name))}`,
      "deskbell deliveries list --status PENDING",
    ),
  ];
}

/** Minimum number of failing hosts for a report. Two hosts can fail at the same time by chance. */
const MIN_HOSTS_OUT = 3;

/**
 * Reports that most endpoints do not respond, so the reason is probably on this machine. An
 * endpoint that responds with an error does not count, because the network works.
 */
export function checkNetwork(rt: Runtime, endpoints: readonly EndpointRow[]): HealthCondition[] {
  const active = endpoints.filter(({ status }) => status === "ACTIVE");
  const failing = active.filter(
    (endpoint) => needsAttention(endpoint, rt.now()) && !isResponse(endpoint.lastError ?? ""),
  );
  const hosts = new Set(failing.map(({ url }) => URL.parse(url)?.host));
  if (hosts.size < MIN_HOSTS_OUT || failing.length * 2 <= active.length) return [];
  return [
    openCondition(
      "network.out",
      `${failing.length} of ${active.length} endpoints do not respond, at ${hosts.size} hosts: the network, the firewall or the name server of this machine is probably the cause`,
      "deskbell deliveries list --failed",
    ),
  ];
}

/** The reasons for which an endpoint is disabled on purpose, by the operator or the partner. */
const INTENDED: ReadonlySet<string> = new Set(["manual", "paused", "key_revoked"]);

const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  gone: "its receiver answered with 410 Gone",
  failing: "its deliveries failed for too long",
};

/**
 * Reports an endpoint that is disabled or keeps failing. An endpoint whose failed deliveries are
 * being retried is not reported.
 */
export function checkEndpoint(rt: Runtime, endpoint: EndpointRow): HealthCondition[] {
  const { id, name, url, status, disabledReason, failingSince, failureCount, disableAt } = endpoint;
  const isReported =
    status === "DISABLED"
      ? disabledReason !== null && !INTENDED.has(disabledReason)
      : failingSince !== null && needsAttention(endpoint, rt.now());
  if (!isReported) return [];
  const business = businessOf(rt, endpoint);
  const details = { business, subject: { id, name, url }, since: failingSince };
  const sinceText =
    failingSince === null ? "" : ` since ${isoSeconds(failingSince)}${lastErrorSuffix(endpoint)}`;
  const who = `the endpoint '${name}' of ${describeOwner(rt, endpoint)}`;
  if (status === "DISABLED") {
    if (disabledReason === "key_expired")
      return [findEndedKey(rt, endpoint) ? keyExpired(rt, endpoint) : keyLivesAgain(rt, endpoint)];
    const reason = disabledReason ?? "";
    const why = DISABLED_BECAUSE[reason] ?? `of ${reason}`;
    const text = `${who} receives no webhooks: deskbell has disabled it, because ${why}${sinceText && ` (failing${sinceText})`}. Its deliveries are kept until it is enabled with webhooks enable ${id}`;
    return [openCondition("endpoint.disabled", text, `deskbell webhooks show ${id}`, details)];
  }
  const disablingText =
    disableAt === null
      ? ""
      : `, and will be disabled by the first failure after ${isoSeconds(disableAt)}`;
  const times = failureCount === 1 ? "once" : `${failureCount} times`;
  return [
    openCondition(
      disableAt === null ? "endpoint.failing" : "endpoint.disabling",
      `${who} has failed ${times}${sinceText}${disablingText}`,
      `deskbell deliveries list --failed --endpoint ${id}`,
      details,
    ),
  ];
}

/**
 * Reports an active endpoint whose key has expired by the wall clock. The endpoint is disabled once
 * it is certain that this clock is right.
 */
export function checkPaused(rt: Runtime, endpoints: readonly EndpointRow[]): HealthCondition[] {
  const paused = rt.store.endpoints.listPaused(rt.now());
  const stopsAtOf = new Map(paused.map(({ id, stopsAt }) => [id, stopsAt]));
  return endpoints.flatMap((endpoint) => {
    const stopsAt = stopsAtOf.get(endpoint.id);
    if (stopsAt === undefined) return [];
    // A text with the time of now would be another one at each check, which stores it then.
    const how = `expired at ${isoSeconds(stopsAt)} by the clock of this server: set the clock if it is wrong`;
    return [keyExpired(rt, endpoint, how)];
  });
}

/** Reports an endpoint whose key was extended, replaced, or ended by a clock that was ahead. */
function keyLivesAgain(rt: Runtime, endpoint: EndpointRow): HealthCondition {
  const { id, name, url, failingSince } = endpoint;
  return openCondition(
    "endpoint.disabled",
    `the endpoint '${name}' of ${describeOwner(rt, endpoint)} receives no webhooks: deskbell disabled it when its API key had expired by the clock of this server. Now no expired key prevents its webhooks, and the fix sends those kept meanwhile. If its partner no longer needs them: webhooks disable ${id}`,
    `deskbell webhooks enable ${id}`,
    { business: businessOf(rt, endpoint), subject: { id, name, url }, since: failingSince },
  );
}

function keyExpired(rt: Runtime, endpoint: EndpointRow, how = "has expired"): HealthCondition {
  const { id, name, url, failingSince } = endpoint;
  return openCondition(
    "endpoint.disabled",
    `the endpoint '${name}' of ${describeOwner(rt, endpoint)} receives no webhooks, because its API key ${how}. If its partner still needs them, give it another key with webhooks update ${id} --key KEY and enable it with webhooks enable ${id}; if not, the fix ends this problem`,
    `deskbell webhooks disable ${id}`,
    { business: businessOf(rt, endpoint), subject: { id, name, url }, since: failingSince },
  );
}

const HOUR_MS = 3_600_000;
/** With fewer attempts, a few failures say nothing about an endpoint. */
const MIN_ATTEMPTS = 10;
const UNRELIABLE_SHARE = 0.25;

/** Reports endpoints that fail often, although some of their deliveries succeed. */
export function checkUnreliable(rt: Runtime, endpoints: readonly EndpointRow[]): HealthCondition[] {
  const now = rt.now();
  const active = new Map(
    endpoints
      .filter((endpoint) => endpoint.status === "ACTIVE" && !needsAttention(endpoint, now))
      .map((endpoint) => [endpoint.id, endpoint]),
  );
  if (active.size === 0) return [];
  return rt.store.deliveries
    .listFailureShares(now - HOUR_MS)
    .flatMap(({ endpointId, attempts, failed }) => {
      const endpoint = active.get(endpointId);
      if (endpoint === undefined || attempts < MIN_ATTEMPTS) return [];
      if (failed < attempts * UNRELIABLE_SHARE) return [];
      const { id, name, url } = endpoint;
      const business = businessOf(rt, endpoint);
      return openCondition(
        "endpoint.unreliable",
        `the endpoint '${name}' of ${describeOwner(rt, endpoint)} has failed ${failed} of its last ${attempts} attempts within an hour`,
        // `--failed` would leave out a delivery that succeeded at a later attempt.
        `deskbell deliveries list --endpoint ${id} --since 1h`,
        { business, subject: { id, name, url } },
      );
    });
}

/**
 * Reports a missing or wrong master key. If the key decrypts some secrets, the result reports each
 * endpoint whose secret it does not decrypt, because such an endpoint receives nothing. Guest data
 * cannot be stored without the key.
 */
export function checkSigningSecrets(rt: Runtime): HealthCondition[] {
  const rows = [...iterateSecrets(rt)];
  const { masterKeyPath } = rt.config;
  const command = `install -m 600 FILE ${shellQuote(masterKeyPath)}`;
  const isThere = existsSync(masterKeyPath);
  const code = isThere ? "master_key.wrong" : "master_key.missing";
  if (rows.length === 0) {
    const guests = [...iterateGuests(rt)];
    if (guests.length === 0 || rt.secrets.listUndecryptable(guests).length < guests.length)
      return [];
    const why = isThere ? "decrypts no guest data" : "is missing";
    const text = `${masterKeyPath} ${why}: guest data can be neither read nor stored. Restore the key file that backup --master-key-out wrote; if it is lost, so are the stored guest data; then create a new key with keys rotate-master`;
    return [openCondition(code, text, command)];
  }
  const undecryptable = rt.secrets.listUndecryptable(rows);
  if (undecryptable.length === rows.length) {
    const why = isThere ? "decrypts no signing secret" : "is missing";
    const text = `${masterKeyPath} ${why}: no webhook can be signed. Restore the key file that backup --master-key-out wrote; if it is lost, give each endpoint a new secret with webhooks rotate-secret ID --force${andOtherSecrets()}`;
    return [openCondition(code, text, command)];
  }
  // The secrets of features are left out, because features report their own.
  const ids = undecryptable.flatMap(({ endpointId }) => endpointId ?? []);
  return [...new Set(ids)].map((id) => {
    const endpoint = rt.store.endpoints.findById(id);
    // A secret whose endpoint is not stored is reported with the endpoint's ID as its name.
    const { name, ...owner } = endpoint ?? { name: id, businessId: "", partnerId: null };
    const business = businessOf(rt, owner);
    return openCondition(
      "signing_secret.wrong",
      `a signing secret of '${name}' of ${describeOwner(rt, owner)} cannot be decrypted with ${masterKeyPath}`,
      `deskbell webhooks rotate-secret ${id} --force`,
      { business, subject: { id, name } },
    );
  });
}

/** Reports events that another program or a failing disk has altered. */
export function checkCorruptEvents(rt: Runtime): HealthCondition[] {
  const count = rt.store.tallies.countByStatus().CORRUPT ?? 0;
  if (count === 0) return [];
  const ids = rt.store.deliveries.list({ status: "CORRUPT" }, 10).map(({ id }) => id);
  return [
    openCondition(
      "delivery.corrupt",
      `the event of ${summarizeNames(ids, count)} was altered in the database file, so it was not sent`,
      // The command cancels the deliveries, because a cancelled delivery is no longer reported.
      `deskbell deliveries cancel ${count === 1 ? ids[0] : "--status CORRUPT"}`,
    ),
  ];
}
