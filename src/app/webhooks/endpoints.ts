import { differingFields } from "../../domain/equality.ts";
import type { EventType } from "../../domain/event-types.ts";
import { NO_STREAK } from "../../domain/webhooks/failure-streak.ts";
import { NO_HOLD } from "../../domain/webhooks/hold.ts";
import { countOf } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import { normalizeUrl } from "../../domain/webhooks/safe-url.ts";
import { type Runtime, assertDiskSpace } from "../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import {
  type RequestedSettings,
  assertSafeAddresses,
  type ValidatedSettings,
  parseEndpointSettings,
} from "./endpoint-settings.ts";
import {
  auditEndpoint,
  disableInTransaction,
  getEndpoint,
  prepareEnable,
} from "./endpoint-lifecycle.ts";
import { createSigningSecret } from "./endpoint-secrets.ts";
import { assertMaySubscribe } from "./own-webhooks.ts";
import { type Resolve, resolveName } from "./resolver.ts";

export const MAX_ENDPOINTS = 50;

/** Not validated yet, so that all issues are reported together. */
export type EndpointRequest = Pick<RequestedSettings, "name" | "url" | "events"> & {
  businessId: string;
  /** null: the operator, on the command line. */
  keyId: string | null;
  /** The operator allows http and private addresses. */
  allowPrivate: boolean;
  /** 1 to 30 s. */
  timeoutMs?: unknown;
  /** 1 to 32. */
  maxInFlight?: unknown;
  /** Each is reported as an issue. */
  unknownFields?: string[];
};

export type EndpointChanges = Partial<RequestedSettings> & {
  /** If a partner changes the URL, `allowPrivate` is reset: the operator trusted the old URL. */
  byPartner?: boolean;
  /** Each is reported as an issue. */
  unknownFields?: string[];
};

type NewEndpoint = { endpoint: EndpointRow; secret: string };

/**
 * The secret cannot be read again later.
 * @throws AppError validation_failed, unsafe_url, conflict, duplicate_endpoint
 */
export const createEndpoint = async (
  rt: Runtime,
  request: EndpointRequest,
  resolve?: Resolve,
): Promise<NewEndpoint> => (await prepareEndpoint(rt, request, resolve))();

/** Checks the request, also in DNS. Returns the function that creates the endpoint. */
export async function prepareEndpoint(
  rt: Runtime,
  {
    businessId,
    keyId,
    unknownFields,
    timeoutMs = 10_000,
    maxInFlight = 4,
    ...requested
  }: EndpointRequest,
  resolve: Resolve = resolveName,
): Promise<() => NewEndpoint> {
  const checked = parseEndpointSettings(
    { ...requested, timeoutMs, maxInFlight },
    rt.config.urlAllowances,
    unknownFields,
  );
  const { settings } = checked;
  assertKeyMaySubscribe(rt, keyId, settings.events);
  await assertSafeAddresses(rt, checked, resolve, keyId !== null);
  const now = rt.now();
  const endpoint: EndpointRow = {
    id: rt.newId("whe"),
    businessId,
    keyId,
    ...settings,
    status: "ACTIVE",
    disabledReason: null,
    version: 1,
    ...NO_STREAK,
    ...NO_HOLD,
    holdsEnded: 0,
    createdAt: now,
    updatedAt: now,
  };
  const create = (): NewEndpoint => {
    assertDiskSpace(rt);
    if (rt.store.endpoints.count(businessId) >= MAX_ENDPOINTS)
      throw new AppError(
        "conflict",
        `This business already has ${MAX_ENDPOINTS} webhook endpoints, the maximum.`,
        { fix: "delete one that is no longer needed" },
      );
    if (keyId !== null) assertKeyMayCreate(rt, keyId, endpoint);
    rt.store.endpoints.insert(endpoint);
    auditEndpoint(rt, "endpoint.created", endpoint, { host: hostOf(endpoint.url) });
    return { endpoint, secret: createSigningSecret(rt, endpoint.id) };
  };
  return () => rt.tx(create);
}

/** @throws AppError insufficient_scope */
function assertKeyMaySubscribe(
  rt: Runtime,
  keyId: string | null,
  events: readonly EventType[],
): void {
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  if (key) assertMaySubscribe(key, events);
}

/** @throws AppError conflict at the key's maximum, duplicate_endpoint */
function assertKeyMayCreate(rt: Runtime, keyId: string, endpoint: EndpointRow): void {
  assertNotDuplicate(rt, keyId, endpoint);
  const maxEndpoints = rt.store.keys.findById(keyId)?.maxEndpoints ?? 0;
  const own = rt.store.endpoints.list(endpoint.businessId).filter((row) => row.keyId === keyId);
  if (own.length >= maxEndpoints)
    throw new AppError(
      "conflict",
      `This API key already has ${countOf(own.length, "webhook endpoint")}, its maximum.`,
      { fix: "delete one that is no longer needed, or ask the business for a higher limit" },
    );
}

/**
 * A restricted key is compared only with the endpoints that it may see, so that it neither learns
 * of the others nor blocks another key.
 * @throws AppError duplicate_endpoint
 */
function assertNotDuplicate(
  rt: Runtime,
  keyId: string | null,
  { id, businessId, url, events }: Pick<EndpointRow, "id" | "businessId" | "url" | "events">,
): void {
  const isRestricted = keyId !== null && rt.store.keys.findById(keyId)?.kind === "RESTRICTED";
  const subscribed = new Set(events);
  const duplicate = rt.store.endpoints
    .list(businessId)
    .find(
      (other) =>
        other.id !== id &&
        (!isRestricted || other.keyId === keyId) &&
        other.url === url &&
        subscribed.symmetricDifference(new Set(other.events)).size === 0,
    );
  if (duplicate === undefined) return;
  const detail = `The endpoint ${duplicate.id} already has this URL and these events.`;
  throw new AppError("duplicate_endpoint", detail, {
    fix: `use ${duplicate.id}, or delete it first`,
    issues: [{ pointer: "#/url", code: "duplicate_endpoint", detail }],
  });
}

/**
 * A new URL resets the failure streak. A status pauses or resumes the endpoint: its deliveries are
 * kept meanwhile.
 * @throws AppError resource_not_found, validation_failed, unsafe_url, duplicate_endpoint; conflict
 *   or busy if it cannot be resumed
 */
export const updateEndpoint = async (
  rt: Runtime,
  id: string,
  changes: EndpointChanges,
  resolve?: Resolve,
): Promise<EndpointRow> => (await prepareUpdate(rt, id, changes, resolve))();

/** Checks the changes, also in DNS. Returns the function that makes them. */
export async function prepareUpdate(
  rt: Runtime,
  id: string,
  changes: EndpointChanges,
  resolve: Resolve = resolveName,
): Promise<() => EndpointRow> {
  const byPartner = changes.byPartner === true;
  const checked = parseChanges(rt, getEndpoint(rt, id), changes);
  await assertSafeAddresses(rt, checked, resolve, byPartner);
  const enable =
    changes.status === "ACTIVE" ? prepareEnable(rt, id, "all", { byPartner }) : undefined;
  const update = (): EndpointRow => {
    // It may have been changed during the DNS lookup.
    const before = getEndpoint(rt, id);
    const { settings } = parseChanges(rt, before, changes);
    assertKeyMaySubscribe(rt, before.keyId, settings.events);
    if (byPartner && (settings.url !== before.url || changes.events !== undefined))
      assertNotDuplicate(rt, before.keyId, { ...before, ...settings });
    const fields = differingFields(before, { ...before, ...settings });
    if (fields.length > 0) {
      rt.store.endpoints.update(id, settings, rt.now());
      if (settings.url !== before.url) rt.store.endpoints.updateStreak(id, NO_STREAK);
      auditEndpoint(rt, "endpoint.updated", before, { fields, host: hostOf(settings.url) });
    }
    if (changes.status === "DISABLED") disableInTransaction(rt, id, "paused");
    enable?.();
    return getEndpoint(rt, id);
  };
  return () => rt.tx(update);
}

/** For the audit log: the path and query of a URL often contain a secret. */
const hostOf = (url: string): string => new URL(url).host;

/** Checks the URL only if it changes, or whether it is trusted. */
function parseChanges(
  rt: Runtime,
  before: EndpointRow,
  changes: EndpointChanges,
): ValidatedSettings {
  const requested = merge(before, changes);
  const isUnchanged =
    requested.url === before.url && requested.allowPrivate === before.allowPrivate;
  return parseEndpointSettings(
    requested,
    isUnchanged ? null : rt.config.urlAllowances,
    changes.unknownFields,
    before.name,
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
  // A different spelling of the same URL is not a change.
  if (typeof settings.url === "string" && normalizeUrl(settings.url) === normalizeUrl(url))
    return { ...settings, url };
  return byPartner ? { ...settings, allowPrivate: false } : settings;
}
