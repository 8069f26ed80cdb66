import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { hasEnded } from "../../domain/api-key.ts";
import { countOf, isoSeconds, summarizeNames } from "../../domain/text.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import { listFastKeys } from "../bookings/booking-limits.ts";
import { listHoarders } from "../bookings/hold-limits.ts";
import { businessOf, describeOwner } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;
/** How long before its expiry a key is reported. */
const WARN_MS = 14 * DAY_MS;
/** A key with a shorter life is meant to end soon, so its end is not reported. */
const SHORT_LIFE_MS = 30 * DAY_MS;
/** A key that was used within this time is still needed. */
const RECENT_MS = 30 * DAY_MS;

const activeEndpointsOf = (endpoints: readonly EndpointRow[], key: ListedKey): EndpointRow[] =>
  endpoints.filter(({ keyId, status }) => keyId === key.id && status === "ACTIVE");

/** Reports keys in use that expire soon, with the endpoints that then receive nothing more. */
export const checkExpiringKeys = (
  rt: Runtime,
  endpoints: readonly EndpointRow[],
): HealthCondition[] =>
  rt.store.keys.listExpiring(rt.now(), rt.now() + WARN_MS).flatMap((key) => {
    const { id, name, createdAt, lastUsedAt } = key;
    // Each listed key has an expiry, so Infinity is never used.
    const expiresAt = key.expiresAt ?? Infinity;
    const active = activeEndpointsOf(endpoints, key);
    const isUsed = lastUsedAt !== null && lastUsedAt > rt.now() - RECENT_MS;
    if (expiresAt - createdAt < SHORT_LIFE_MS || (active.length === 0 && !isUsed)) return [];
    const business = businessOf(rt, key);
    const stops =
      active.length === 0 || key.endpointsAtEnd === "KEEP"
        ? ""
        : ` and ${countOf(active.length, "webhook endpoint")} receive nothing more (${summarizeNames(active.map((endpoint) => endpoint.name))})`;
    return openCondition(
      "key.expiring",
      `the key '${name}' of ${describeOwner(rt, key)} expires at ${isoSeconds(expiresAt)}: its requests are then refused${stops}`,
      `deskbell keys update ${id} --expires 365d`,
      { business, subject: { id, name } },
    );
  });

/**
 * Reports endpoints that still receive events although their key has ended. Up to version 0.2, the
 * end of a key left its endpoints as they were, and the operator has not decided about them since.
 */
export const checkEndedKeys = (rt: Runtime, endpoints: readonly EndpointRow[]): HealthCondition[] =>
  rt.store.keys.listUndecided().flatMap((key) => {
    const business = businessOf(rt, key);
    const how = key.revokedAt === null ? "has expired" : "is revoked";
    return activeEndpointsOf(endpoints, key).map(({ id, name, url }) =>
      openCondition(
        "endpoint.key_ended",
        `the endpoint '${name}' of ${describeOwner(rt, key)} still receives events, although its key '${key.name}' ${how}: disable it, or give it another key with webhooks update ${id} --key KEY`,
        `deskbell webhooks disable ${id}`,
        { business, subject: { id, name, url } },
      ),
    );
  });

export const checkBrowserKeys = (rt: Runtime): HealthCondition[] =>
  rt.store.keys
    .listSeenInBrowser(rt.now())
    .map((key) =>
      openCondition(
        "key.in_browser",
        `the secret key '${key.name}' of ${describeOwner(rt, key)} was sent by a web page: every visitor of that page can read it`,
        `deskbell keys rotate ${key.id} --overlap 0s`,
        { business: businessOf(rt, key), subject: { id: key.id, name: key.name } },
      ),
    );

/** Reports the keys that nobody can use, because a restore ended their only secret again. */
export const checkKeySecrets = (rt: Runtime): HealthCondition[] =>
  rt.store.keys
    .listWithoutSecret(rt.now())
    .map((key) =>
      openCondition(
        "key.no_secret",
        `the key '${key.name}' of ${describeOwner(rt, key)} has no secret, so nobody can use it: rotate it and pass on the new one, or revoke it`,
        `deskbell keys rotate ${key.id}`,
        { business: businessOf(rt, key), subject: { id: key.id, name: key.name } },
      ),
    );

export const checkUnusedHolds = (rt: Runtime): HealthCondition[] =>
  listHoarders(rt).flatMap(({ keyId, made, used }) => {
    const key = rt.store.keys.findById(keyId);
    if (key === undefined || hasEnded(key, rt.now())) return [];
    const business = businessOf(rt, key);
    return openCondition(
      "holds.unused",
      `the key '${key.name}' of ${describeOwner(rt, key)} has let most of ${made} holds expire in 24 hours and booked ${used}, so it can have 3 at a time: it may keep times from guests`,
      "ask the partner to release the holds that guests leave, and to send Visitor-Id, as /docs/taking-bookings says",
      { business, subject: { id: keyId, name: key.name } },
    );
  });

export const checkFastBookings = (rt: Runtime): HealthCondition[] =>
  listFastKeys(rt).map(({ key, recent, busiest }) => {
    const { id, name } = key;
    const business = businessOf(rt, key);
    return openCondition(
      "key.booking_fast",
      `the key '${name}' of ${business} has made ${recent} bookings and reservations in two hours, and at most ${busiest} in an hour of the week before`,
      `deskbell bookings list --business ${business} --key ${id} --created-since 2h`,
      { business, subject: { id, name } },
    );
  });
