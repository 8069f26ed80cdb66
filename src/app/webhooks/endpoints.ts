import { differingFields } from "../../domain/equality.ts";
import { NO_STREAK, NO_BACKOFF } from "../../domain/webhooks/failing-endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { normalizeUrl } from "../../domain/webhooks/safe-url.ts";
import { auditRow } from "../audit.ts";
import { assertDiskSpace } from "../disk-space.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import {
  type RequestedSettings,
  assertSafeAddresses,
  type ValidatedSettings,
  parseEndpointSettings,
} from "./endpoint-settings.ts";
import {
  assertKeyMayCreate,
  assertKeyMaySubscribe,
  assertMayOwn,
  assertNameFree,
  assertNotDuplicate,
} from "./endpoint-owner.ts";
import { disableInTransaction, getEndpoint, prepareEnable } from "./endpoint-lifecycle.ts";
import { createSigningSecret } from "./endpoint-secrets.ts";
import { type Resolve, resolveName } from "./host-limits.ts";

/** The most endpoints of a business, and of a partner for all of its businesses. */
export const MAX_ENDPOINTS = 50;

/** A request before validation, which reports all issues together. */
export type EndpointRequest = Pick<RequestedSettings, "name" | "url" | "events"> & {
  /** The ID is null for an endpoint of a partner. */
  businessId: string | null;
  partnerId?: string | null | undefined;
  /** The API key that the endpoint will belong to; null for the operator alone. */
  keyId: string | null;
  /**
   * Whether the operator makes the request. The name must then be unique, because commands refer to
   * endpoints by name.
   */
  byOperator?: boolean;
  /** Whether the operator allows http and private addresses. */
  allowPrivate: boolean;
  /** Milliseconds, from 1,000 to 30,000. */
  timeoutMs?: unknown;
  /** The maximum number of delivery attempts that run at the same time, from 1 to 32. */
  maxInFlight?: unknown;
  /** Names of unknown fields, each of which is reported as an issue. */
  unknownFields?: string[];
};

export type EndpointChanges = Partial<RequestedSettings> & {
  /**
   * Whether a partner makes the change. A new URL then resets `allowPrivate`, because the operator
   * trusted the old one.
   */
  byPartner?: boolean;
  /** The ID of the API key that will own the endpoint; null if only the operator manages it. */
  keyId?: string | null | undefined;
  /** Names of unknown fields, each of which is reported as an issue. */
  unknownFields?: string[];
};

type NewEndpoint = { endpoint: EndpointRow; secret: string };

/**
 * Creates an endpoint and returns it with its secret, which cannot be read again later.
 * @throws AppError validation_failed, unsafe_url, conflict, duplicate_endpoint
 */
export const createEndpoint = async (
  rt: Runtime,
  request: EndpointRequest,
  resolve?: Resolve,
): Promise<NewEndpoint> => (await prepareEndpoint(rt, request, resolve))();

/**
 * Validates a request, looks up the host of its URL in DNS, and returns the function that creates
 * the endpoint.
 */
export async function prepareEndpoint(
  rt: Runtime,
  {
    businessId,
    partnerId = null,
    keyId,
    byOperator = false,
    unknownFields,
    timeoutMs = 10_000,
    maxInFlight = 4,
    ...requested
  }: EndpointRequest,
  resolve: Resolve = resolveName,
): Promise<() => NewEndpoint> {
  const byPartner = keyId !== null && !byOperator;
  const checked = parseEndpointSettings(
    { ...requested, timeoutMs, maxInFlight },
    rt.config.urlAllowances,
    byPartner,
    unknownFields,
  );
  const { settings } = checked;
  if (!byOperator) assertKeyMaySubscribe(rt, keyId, settings.events);
  await assertSafeAddresses(rt, checked, resolve, byPartner);
  const now = rt.now();
  const endpoint: EndpointRow = {
    id: rt.newId("whe"),
    businessId,
    partnerId,
    keyId,
    ...settings,
    status: "ACTIVE",
    disabledReason: null,
    version: 1,
    ...NO_STREAK,
    ...NO_BACKOFF,
    holdsEnded: 0,
    createdAt: now,
    updatedAt: now,
    statusSince: now,
    lastDeliveredAt: null,
  };
  const create = (): NewEndpoint => {
    assertDiskSpace(rt);
    if (rt.store.endpoints.listOf(endpoint).length >= MAX_ENDPOINTS)
      throw new AppError(
        "conflict",
        `This ${businessId === null ? "partner" : "business"} already has ${MAX_ENDPOINTS} webhook endpoints, the maximum.`,
        { fix: "delete one that is no longer needed" },
      );
    if (byOperator) assertNameFree(rt, endpoint);
    if (keyId !== null)
      if (byOperator) assertMayOwn(rt, keyId, endpoint);
      else assertKeyMayCreate(rt, keyId, endpoint);
    rt.store.endpoints.insert(endpoint);
    auditRow(rt, "endpoint.created", endpoint, { host: hostOf(endpoint.url) });
    return { endpoint, secret: createSigningSecret(rt, endpoint.id) };
  };
  return () => rt.tx(create);
}

/**
 * Changes an endpoint. A new URL resets the failure streak. A new status pauses or resumes the
 * endpoint, whose deliveries are kept during a pause.
 * @throws AppError resource_not_found, validation_failed, unsafe_url, duplicate_endpoint; conflict
 *   or busy if the endpoint cannot be resumed
 */
export const updateEndpoint = async (
  rt: Runtime,
  id: string,
  changes: EndpointChanges,
  resolve?: Resolve,
): Promise<EndpointRow> => (await prepareUpdate(rt, id, changes, resolve))();

/**
 * Validates the changes, looks up the host of a new URL in DNS, and returns the function that makes
 * the changes.
 */
export async function prepareUpdate(
  rt: Runtime,
  id: string,
  changes: EndpointChanges,
  resolve: Resolve = resolveName,
): Promise<() => EndpointRow> {
  const byPartner = changes.byPartner === true;
  const checked = parseChanges(rt, getEndpoint(rt, id), changes);
  await assertSafeAddresses(rt, checked, resolve, byPartner);
  // A resumed endpoint gets all of its parked deliveries.
  const enable =
    changes.status === "ACTIVE" ? prepareEnable(rt, id, "all", { byPartner }) : undefined;
  const update = (): EndpointRow => {
    // The endpoint may have been changed during the DNS lookup, so it is read and checked again.
    const before = getEndpoint(rt, id);
    const { settings } = parseChanges(rt, before, changes);
    const { keyId = before.keyId } = changes;
    if (keyId === before.keyId) assertKeyMaySubscribe(rt, keyId, settings.events);
    else if (keyId !== null) assertMayOwn(rt, keyId, { ...before, ...settings });
    if (!byPartner && settings.name !== before.name) assertNameFree(rt, { ...before, ...settings });
    if (byPartner && (settings.url !== before.url || changes.events !== undefined))
      assertNotDuplicate(rt, before.keyId, { ...before, ...settings });
    const fields = differingFields(before, { ...before, ...settings, keyId });
    if (fields.length > 0) {
      rt.store.endpoints.updateKey(id, keyId);
      rt.store.endpoints.update(id, settings, rt.now());
      if (settings.url !== before.url) rt.store.endpoints.updateStreak(id, NO_STREAK);
      auditRow(rt, "endpoint.updated", before, { fields, host: hostOf(settings.url) });
    }
    if (changes.status === "DISABLED") disableInTransaction(rt, id, "paused");
    enable?.();
    return getEndpoint(rt, id);
  };
  return () => rt.tx(update);
}

/**
 * Returns the host of a URL. The audit log contains only the host, because the path and query often
 * contain a secret.
 */
const hostOf = (url: string): string => new URL(url).host;

/** Validates changes. The URL is checked only if the URL or `allowPrivate` changes. */
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
    changes.byPartner === true,
    changes.unknownFields,
    before.name,
  );
}

function merge(
  { name, url, events, allowPrivate, timeoutMs, maxInFlight }: EndpointRow,
  { byPartner = false, unknownFields: _, keyId: __, ...changes }: EndpointChanges,
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
