import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { countOf } from "../../domain/text.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import { slugOf } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { isoSeconds, summarizeNames } from "./health-conditions.ts";

const DAY_MS = 86_400_000;
const WARN_MS = 14 * DAY_MS;
/** A key with a shorter life is meant to end soon. */
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
    const expiresAt = key.expiresAt ?? Infinity;
    const own = activeEndpointsOf(endpoints, key);
    const isUsed = lastUsedAt !== null && lastUsedAt > rt.now() - RECENT_MS;
    if (expiresAt - createdAt < SHORT_LIFE_MS || (own.length === 0 && !isUsed)) return [];
    const business = slugOf(rt, key.businessId);
    const stops =
      own.length === 0 || key.endpointsAtEnd === "KEEP"
        ? ""
        : ` and ${countOf(own.length, "webhook endpoint")} receive nothing more (${summarizeNames(own.map((endpoint) => endpoint.name))})`;
    return openCondition(
      "key.expiring",
      `the key '${name}' of ${business} expires at ${isoSeconds(expiresAt)}: its requests are then refused${stops}`,
      `deskbell keys update ${id} --expires 365d`,
      { business, subject: { id, name } },
    );
  });

/** Reports endpoints that still receive events, although their key had ended under version 0.2. */
export const checkEndedKeys = (rt: Runtime, endpoints: readonly EndpointRow[]): HealthCondition[] =>
  rt.store.keys.listUndecided().flatMap((key) => {
    const business = slugOf(rt, key.businessId);
    const how = key.revokedAt === null ? "has expired" : "is revoked";
    return activeEndpointsOf(endpoints, key).map(({ id, name, url }) =>
      openCondition(
        "endpoint.key_ended",
        `the endpoint '${name}' of ${business} still receives events, although its key '${key.name}' ${how}: disable it, or give it another key with webhooks update ${id} --key KEY`,
        `deskbell webhooks disable ${id}`,
        { business, subject: { id, name, url } },
      ),
    );
  });
