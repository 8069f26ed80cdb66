import { NO_STREAK } from "../../domain/webhooks/failure-streak.ts";
import { AppError } from "../../domain/errors.ts";
import { normalizeUrl } from "../../domain/webhooks/safe-url.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import {
  type RequestedSettings,
  assertSafeAddresses,
  type ValidatedSettings,
  parseEndpointSettings,
} from "./endpoint-settings.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";
import { createSigningSecret, decryptSigningSecret } from "./endpoint-secrets.ts";
import {
  findCreatedEndpoint,
  recordCreatedEndpoint,
  idempotentRequest,
  type IdempotentRequest,
} from "../idempotency.ts";
import { type Resolve, resolveName } from "./resolver.ts";
import { assertDiskSpace } from "../disk-space.ts";

export const MAX_ENDPOINTS = 50;
const DEFAULTS = { timeoutMs: 10_000, maxInFlight: 4 };

/** Checked here, so that all mistakes are told at once. */
export type EndpointRequest = Pick<RequestedSettings, "name" | "url" | "events"> & {
  businessId: string;
  /** null: somebody at the terminal. */
  keyId: string | null;
  /** The operator's word that this one endpoint may be reached over http and on a private address. */
  allowPrivate: boolean;
  /** 1 to 30 s. */
  timeoutMs?: unknown;
  /** 1 to 32. */
  maxInFlight?: unknown;
  /** Names of what else was asked, which is a mistake. */
  unknownFields?: string[];
  /** The same one from the same key, within a day, gives the same endpoint. */
  idempotencyKey?: string | undefined;
};

export type EndpointChanges = Partial<RequestedSettings> & {
  /** The operator trusts a URL, not whoever may change it: another one has to be safe like a stranger's. */
  byPartner?: boolean;
  /** Names of what else was asked, which is a mistake. */
  unknownFields?: string[];
};

/**
 * Subscribes a URL. The secret is in this answer and in no other.
 * @throws AppError validation_failed, unsafe_url, conflict
 */
export async function createEndpoint(
  rt: Runtime,
  { businessId, keyId, idempotencyKey, unknownFields, ...asked }: EndpointRequest,
  resolve: Resolve = resolveName,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const checked = parseEndpointSettings(
    withDefaults(asked),
    rt.config.urlAllowances,
    unknownFields,
  );
  const { settings } = checked;
  const request =
    idempotencyKey === undefined || keyId === null
      ? null
      : idempotentRequest(keyId, idempotencyKey, settings);
  const made = request && findMade(rt, request);
  if (made) return made;
  await assertSafeAddresses(checked, rt.config.urlAllowances, resolve);
  const now = rt.now();
  const endpoint: EndpointRow = {
    id: rt.newId("whe"),
    businessId,
    keyId,
    ...settings,
    status: "ACTIVE",
    disabledReason: null,
    ...NO_STREAK,
    createdAt: now,
    updatedAt: now,
  };
  return rt.tx(() => {
    // The same request may have come in again during the lookup.
    const madeMeanwhile = request && findMade(rt, request);
    if (madeMeanwhile) return madeMeanwhile;
    assertDiskSpace(rt);
    if (rt.store.endpoints.count(businessId) >= MAX_ENDPOINTS)
      throw new AppError(
        "conflict",
        `This business has ${MAX_ENDPOINTS} webhook endpoints, the most it can have.`,
        {
          fix: "delete one that is no longer needed",
        },
      );
    rt.store.endpoints.insert(endpoint);
    if (request) recordCreatedEndpoint(rt, request, endpoint.id);
    return { endpoint, secret: createSigningSecret(rt, endpoint.id) };
  });
}

/** @throws AppError idempotency_key_reused, conflict when it was deleted since */
function findMade(
  rt: Runtime,
  request: IdempotentRequest,
): { endpoint: EndpointRow; secret: string } | undefined {
  const id = findCreatedEndpoint(rt, request);
  if (id === undefined) return undefined;
  const endpoint = rt.store.endpoints.findById(id);
  if (!endpoint)
    throw new AppError("conflict", "The endpoint that this Idempotency-Key has made was deleted.");
  return { endpoint, secret: decryptSigningSecret(rt, id) };
}

/**
 * Changes what it is told. Another URL begins with a clean record.
 * @throws AppError resource_not_found, validation_failed, unsafe_url
 */
export async function updateEndpoint(
  rt: Runtime,
  id: string,
  changes: EndpointChanges,
  resolve: Resolve = resolveName,
): Promise<EndpointRow> {
  await assertSafeAddresses(
    checkChanges(rt, getEndpoint(rt, id), changes),
    rt.config.urlAllowances,
    resolve,
  );
  return rt.tx(() => {
    // Somebody else may have changed it during the lookup.
    const before = getEndpoint(rt, id);
    const { settings } = checkChanges(rt, before, changes);
    rt.store.endpoints.update(id, settings, rt.now());
    if (settings.url !== before.url) rt.store.endpoints.updateStreak(id, NO_STREAK);
    return getEndpoint(rt, id);
  });
}

const withDefaults = ({
  timeoutMs = DEFAULTS.timeoutMs,
  maxInFlight = DEFAULTS.maxInFlight,
  ...asked
}: Pick<EndpointRequest, keyof RequestedSettings>): RequestedSettings => ({
  ...asked,
  timeoutMs,
  maxInFlight,
});

/** Where it goes is judged when that changes, or whether it is trusted. */
function checkChanges(
  rt: Runtime,
  before: EndpointRow,
  changes: EndpointChanges,
): ValidatedSettings {
  const asked = merge(before, changes);
  const stays = asked.url === before.url && asked.allowPrivate === before.allowPrivate;
  return parseEndpointSettings(
    asked,
    stays ? null : rt.config.urlAllowances,
    changes.unknownFields,
  );
}

function merge(
  { name, url, events, allowPrivate, timeoutMs, maxInFlight }: EndpointRow,
  { byPartner = false, unknownFields: _, ...changes }: EndpointChanges,
): RequestedSettings {
  const given = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  );
  const settings = { name, url, events, allowPrivate, timeoutMs, maxInFlight, ...given };
  // Another spelling of the same URL is no change.
  if (typeof settings.url === "string" && normalizeUrl(settings.url) === normalizeUrl(url))
    return { ...settings, url };
  return byPartner ? { ...settings, allowPrivate: false } : settings;
}
