import {
  DEFAULT_LIMITS,
  hashApiKey,
  type KeyKind,
  keyHints,
  generateApiKey,
  secretId,
  hasEnded,
  type Scope,
  SCOPES,
} from "../domain/api-key.ts";
import { deepEqual } from "../domain/equality.ts";
import { AppError, assertFound } from "../domain/errors.ts";
import { EVENT_GROUPS, type EventGroup, maySubscribe } from "../domain/events/event-types.ts";
import { shellQuote } from "../domain/text.ts";
import { FEATURES } from "../features/index.ts";
import { auditRow, auditTime } from "./audit.ts";
import { assertNoIssues, validateExpiry, validateKey, validateLimits } from "./key-validation.ts";
import type { Runtime } from "./runtime.ts";
import type { EndpointRow } from "../store/webhooks/endpoints.ts";
import type { SecretEnd } from "../store/key-secrets.ts";
import type { KeySettings, ListedKey } from "../store/keys.ts";

export type NewKey = {
  /** The ID is null for a key of a partner. */
  businessId: string | null;
  partnerId?: string | undefined;
  /** The SHA-256 of a secret that another server has made; by default, a new secret is made. */
  secretHash?: Buffer | undefined;
  name: string;
  kind: KeyKind;
  /** The scopes of a restricted key; a secret key has all scopes. */
  scopes: string[];
  /** The default is all groups. */
  eventGroups?: readonly EventGroup[] | undefined;
  expiresAt?: number | null | undefined;
  cidrs?: string[] | undefined;
  limitMinute?: number | undefined;
  limitHour?: number | undefined;
  maxEndpoints?: number | undefined;
  maxHolds?: number | undefined;
  maxBookingsDay?: number | undefined;
  /** Whether the key may rotate itself over HTTP; not by default. */
  selfRotation?: boolean | undefined;
  /** Whether guests get mails about visits that the key makes; not by default. */
  guestMail?: boolean | undefined;
};

/**
 * A key with its secret, which cannot be read again later. The secret is "" if only its hash was
 * given.
 */
export type CreatedKey = { key: ListedKey; secret: string };

const DAY_MS = 86_400_000;
export const DEFAULT_OVERLAP_MS = DAY_MS;
export const MAX_OVERLAP_MS = 7 * DAY_MS;

/** @throws AppError validation_failed with all issues, business_not_found */
export function createKey(rt: Runtime, input: NewKey): CreatedKey {
  assertNoIssues(validateKey(input, rt.now()));
  return rt.tx(() => {
    if (input.businessId !== null && !rt.store.businesses.findById(input.businessId))
      throw new AppError("business_not_found", `There is no business ${input.businessId}.`);
    const id = rt.newId("key");
    rt.store.keys.insert({
      id,
      businessId: input.businessId,
      partnerId: input.partnerId ?? null,
      kind: input.kind,
      name: input.name.trim(),
      scopes: input.kind === "SECRET" ? [...SCOPES] : ([...new Set(input.scopes)] as Scope[]),
      eventGroups: [...(input.eventGroups ?? EVENT_GROUPS)],
      cidrs: input.cidrs ?? [],
      limitMinute: input.limitMinute ?? DEFAULT_LIMITS.minute,
      limitHour: input.limitHour ?? DEFAULT_LIMITS.hour,
      maxEndpoints: input.maxEndpoints ?? DEFAULT_LIMITS.endpoints,
      maxHolds: input.maxHolds ?? DEFAULT_LIMITS.holds,
      maxBookingsDay: input.maxBookingsDay ?? DEFAULT_LIMITS.bookingsDay,
      createdAt: rt.now(),
      lastUsedAt: null,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
      endpointsAtEnd: "STOP",
      gainedScopes: null,
      selfRotation: input.selfRotation ?? false,
      guestMail: input.guestMail ?? false,
    });
    // A new key has no previous secret, so the end of the previous secret that is given here has no
    // effect.
    const created = createSecret(
      rt,
      id,
      input.kind,
      { expiresAt: rt.now(), repeatsUntil: null },
      input.secretHash,
    );
    const { kind, scopes, eventGroups, cidrs, expiresAt, selfRotation, guestMail } = created.key;
    auditRow(rt, "key.created", created.key, {
      kind,
      scopes,
      eventGroups,
      cidrs,
      expiresAt: auditTime(expiresAt),
      ...(selfRotation && { selfRotation }),
      ...(guestMail && { guestMail }),
    });
    return created;
  });
}

/**
 * Gives a key a new secret; the old secret stays valid during the overlap. The key keeps its ID,
 * scopes, limits and counters. Call `recordRevoked` in the same transaction.
 * @throws AppError resource_not_found, validation_failed, conflict if the key is revoked or has
 *   expired
 */
export function rotateKey(
  rt: Runtime,
  keyId: string,
  overlapMs: number = DEFAULT_OVERLAP_MS,
): RotatedKey {
  assertOverlap(overlapMs);
  return rt.tx(() => {
    const key = getKey(rt, keyId);
    assertNotEnded(rt, key);
    const oldSecretEndsAt = rt.now() + overlapMs;
    // `repeatsUntil` is for a key that rotates itself over HTTP: its old secret may repeat that
    // request. Here, another caller rotates the key.
    return replaceKeySecret(rt, key, { expiresAt: oldSecretEndsAt, repeatsUntil: null });
  });
}

/** `endedSecrets`: the IDs of the secrets that have ended at once, for `recordRevoked`. */
export type RotatedKey = CreatedKey & { endedSecrets: readonly string[] };

/** Gives a key a new secret. Call it in a transaction, after the checks of a rotation. */
export function replaceKeySecret(rt: Runtime, key: ListedKey, oldSecret: SecretEnd): RotatedKey {
  const before = rt.store.keySecrets.listValid(key.id, rt.now());
  auditRow(rt, "key.rotated", key, { oldSecretEndsAt: auditTime(oldSecret.expiresAt) });
  const created = createSecret(rt, key.id, key.kind, oldSecret);
  const after = rt.store.keySecrets.listValid(key.id, rt.now());
  const ended = before.filter((hash) => !after.some((valid) => valid.equals(hash)));
  return { ...created, endedSecrets: ended.map(secretId) };
}

/**
 * Deletes the secrets of a key that had ended for good, but are valid again because a backup was
 * restored. If the key has no other secret, it works again once it is rotated. Call it in a
 * transaction.
 * @param ended the IDs of the secrets, by `secretId`
 */
export function endSecretsAgain(rt: Runtime, keyId: string, ended: ReadonlySet<string>): void {
  const { keySecrets } = rt.store;
  for (const hash of keySecrets.listValid(keyId, rt.now()))
    if (ended.has(secretId(hash))) keySecrets.delete(hash);
}

/** @throws AppError conflict if the key is revoked or has expired */
export function assertNotEnded(rt: Runtime, key: ListedKey): void {
  if (!hasEnded(key, rt.now())) return;
  const how = key.revokedAt === null ? "has expired" : "is revoked";
  throw new AppError("conflict", `${key.id} ${how}.`, { fix: "create a new key" });
}

/**
 * @throws AppError conflict if the key has ended and kept its endpoints, because the setting would
 * not stop them anymore
 */
function assertEndpointsStop(rt: Runtime, key: ListedKey): void {
  if (key.endpointsAtEnd === "STOP" || !hasEnded(key, rt.now())) return;
  throw new AppError(
    "conflict",
    `${key.id} has ended and kept its endpoints, which this setting would not stop.`,
    { fix: `deskbell keys revoke ${key.id}` },
  );
}

export function assertOverlap(overlapMs: number): void {
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS)
    throw new AppError("validation_failed", "The overlap must be between 0 and 7 days.");
}

/** Settings to change; undefined fields keep their value. */
export type KeyChanges = { [Field in keyof KeySettings]?: KeySettings[Field] | undefined };

/**
 * Changes a key, and unsubscribes its webhook endpoints from events that the key may no longer
 * receive. The delivery worker cancels deliveries of such events. If a limit becomes lower,
 * existing endpoints and holds stay.
 * @throws AppError validation_failed, resource_not_found; conflict if the key has ended and
 *   `changes` has a new expiry, or would stop the endpoints that the key has kept; state_refuses if
 *   an endpoint would have no event left, or if a setting cannot be changed on the key of a partner
 */
export function updateKey(rt: Runtime, keyId: string, changes: KeyChanges): ListedKey {
  assertNoIssues([...validateLimits(changes), ...validateExpiry(changes.expiresAt, rt.now())]);
  return rt.tx(() => {
    const key = getKey(rt, keyId);
    if (changes.expiresAt !== undefined) assertNotEnded(rt, key);
    if (changes.endpointsAtEnd === "STOP") assertEndpointsStop(rt, key);
    if (key.partnerId !== null) assertPartnerKeySettings(rt, key, key.partnerId, changes);
    const changed = Object.fromEntries(
      Object.entries(changes).filter(
        ([field, value]) =>
          value !== undefined && !deepEqual(value, key[field as keyof KeySettings]),
      ),
    );
    if (Object.keys(changed).length === 0) return key;
    rt.store.keys.update(keyId, { ...key, ...changed });
    const updated = getKey(rt, keyId);
    // `listOf` lists all endpoints of the business or partner, including those of its other keys.
    for (const endpoint of rt.store.endpoints.listOf(key))
      if (endpoint.keyId === keyId) narrowEndpoint(rt, endpoint, updated.eventGroups);
    const { expiresAt } = changes;
    const expiry = typeof expiresAt === "number" ? { expiresAt: auditTime(expiresAt) } : {};
    auditRow(rt, "key.updated", key, { ...changed, ...expiry });
    return updated;
  });
}

/** The settings that can be changed on a partner's key itself. */
const PARTNER_KEY_SETTINGS: ReadonlySet<string> = new Set<keyof KeySettings>([
  "limitMinute",
  "limitHour",
  "maxEndpoints",
  "expiresAt",
  "endpointsAtEnd",
  "selfRotation",
]);

/**
 * Asserts that these settings can be changed on the key of a partner. All other settings belong to
 * the partner's access to each business, which a change of the key would not reach.
 * @throws AppError state_refuses
 */
function assertPartnerKeySettings(
  rt: Runtime,
  { id }: ListedKey,
  partnerId: string,
  changes: KeyChanges,
): void {
  const isRefused = (field: keyof KeyChanges) =>
    changes[field] !== undefined && !PARTNER_KEY_SETTINGS.has(field);
  if (!(Object.keys(changes) as (keyof KeyChanges)[]).some(isRefused)) return;
  const commandGroup = FEATURES.find(({ partnerCommands }) => partnerCommands)?.partnerCommands;
  const name = rt.store.partnerAccess.findName(partnerId) ?? partnerId;
  throw new AppError(
    "state_refuses",
    `${id} is a key of a partner: only its limits of requests and endpoints, its expiry, and whether it keeps its endpoints and may rotate itself can be changed.`,
    {
      fix:
        changes.guestMail === undefined
          ? `to change all keys of the partner, add the option to deskbell ${commandGroup} update ${shellQuote(name)}`
          : "only a key of one business can mail guests: deskbell keys create --help",
    },
  );
}

/**
 * Unsubscribes an endpoint from all events outside of `eventGroups`. Call it in a transaction.
 * @returns whether the endpoint was subscribed to such an event
 * @throws AppError state_refuses if no event would be left
 */
export function narrowEndpoint(
  rt: Runtime,
  endpoint: EndpointRow,
  eventGroups: readonly EventGroup[],
): boolean {
  const events = endpoint.events.filter((type) => maySubscribe({ eventGroups }, type));
  if (events.length === endpoint.events.length) return false;
  if (events.length === 0)
    throw new AppError(
      "state_refuses",
      `The webhook endpoint ${endpoint.id} subscribes only to events of other groups.`,
      { fix: `deskbell webhooks delete ${endpoint.id}` },
    );
  rt.store.endpoints.update(endpoint.id, { ...endpoint, events }, rt.now());
  const { host } = new URL(endpoint.url);
  auditRow(rt, "endpoint.updated", endpoint, { fields: ["events"], host });
  return true;
}

export const listKeys = (rt: Runtime, businessId?: string): ListedKey[] =>
  rt.store.keys.list(businessId);

/** Records when each key was last used, in memory; `flush` writes the times to the database. */
export type KeyUsage = {
  record: (keyId: string, at: number) => void;
  /**
   * Records that a web page sent the key. Call it besides `record`. Secret keys must never be in a
   * web page.
   */
  recordBrowser: (keyId: string, at: number) => void;
  flush: () => void;
};

export function createKeyUsage(rt: Runtime): KeyUsage {
  const usedAt = new Map<string, number>();
  const seenInBrowserAt = new Map<string, number>();
  return {
    record: (keyId, at) => void usedAt.set(keyId, at),
    recordBrowser: (keyId, at) => void seenInBrowserAt.set(keyId, at),
    flush() {
      // Each key in `seenInBrowserAt` is also in `usedAt`, so checking `usedAt` is enough.
      if (usedAt.size === 0) return;
      rt.tx(() => {
        for (const [keyId, at] of usedAt) rt.store.keys.markUsed(keyId, at);
        for (const [keyId, at] of seenInBrowserAt) rt.store.keys.markSeenInBrowser(keyId, at);
      });
      usedAt.clear();
      seenInBrowserAt.clear();
    },
  };
}

export const getKey = (rt: Runtime, keyId: string): ListedKey =>
  assertFound(rt.store.keys.findById(keyId), `There is no key ${keyId}.`, "deskbell keys list");

function createSecret(
  rt: Runtime,
  keyId: string,
  kind: KeyKind,
  previousEnd: SecretEnd,
  secretHash?: Buffer,
): CreatedKey {
  const secret = secretHash === undefined ? generateApiKey(kind, rt.random) : "";
  rt.store.keySecrets.replace(
    {
      hash: secretHash ?? hashApiKey(secret),
      keyId,
      ...keyHints(kind, secret),
      createdAt: rt.now(),
      expiresAt: null,
    },
    previousEnd,
  );
  return { key: getKey(rt, keyId), secret };
}
