import { audit } from "../../app/audit.ts";
import { appendEvents } from "../../app/events.ts";
import { revokeInTransaction } from "../../app/key-end.ts";
import { createKey, type CreatedKey } from "../../app/keys.ts";
import { revokeForGood } from "../../app/revoke-for-good.ts";
import type { Runtime } from "../../app/runtime.ts";
import { deleteEndpoint } from "../../app/webhooks/endpoint-lifecycle.ts";
import { outsideLine } from "../../domain/basic-schemas.ts";
import { businessEvent } from "../../domain/events/envelope.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { quote, shellQuote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { MAX_NAME_LENGTH } from "./rules.ts";
import { createPartnerStore, type PartnerRow } from "./store.ts";

// A partner reaches several businesses with the same keys. Its access to a business is an API key
// of that business without a secret. Each business therefore limits the partner, and keeps its data
// apart, as with any other key.

type Reached = Pick<BusinessRow, "id" | "doc">;

type NewPartner = Omit<PartnerRow, "id" | "createdAt"> & {
  businesses: readonly Reached[];
  /** The SHA-256 of a key that another server has made. */
  secretHash?: Buffer | undefined;
  /** Whether the partner's first key may rotate itself over HTTP; not by default. */
  selfRotation?: boolean | undefined;
};

const NAME = outsideLine(MAX_NAME_LENGTH);

/**
 * Creates a partner with its first key.
 * @throws AppError validation_failed, conflict
 */
export function createPartner(
  rt: Runtime,
  { businesses, secretHash, selfRotation, ...settings }: NewPartner,
): CreatedKey & { partner: PartnerRow } {
  return rt.tx(() => {
    assertName(rt, settings.name);
    const store = rt.openStore(createPartnerStore);
    const partner: PartnerRow = { ...settings, id: rt.newId("ptn"), createdAt: rt.now() };
    store.insert(partner);
    const { id, name, scopes, eventGroups, coversAll, coversFuture } = partner;
    audit(rt, {
      action: "partner.created",
      subject: { id, name },
      businessId: null,
      details: {
        scopes,
        eventGroups,
        coversAll,
        coversFuture,
        businesses: businesses.length,
      },
    });
    const created = createPartnerKey(rt, partner, { secretHash, selfRotation });
    for (const business of businesses) giveAccess(rt, partner, business);
    return { ...created, partner };
  });
}

/**
 * Asserts that a partner can get this name. Call this function in the transaction that stores the
 * name.
 * @throws AppError validation_failed; conflict if another partner has the name
 */
export function assertName(rt: Runtime, name: string): void {
  if (!NAME.safeParse(name).success)
    throw new AppError(
      "validation_failed",
      `The name of a partner must be one line of 1 to ${MAX_NAME_LENGTH} characters.`,
    );
  if (rt.openStore(createPartnerStore).find(name))
    throw new AppError("conflict", `There is already a partner ${quote(name)}.`, {
      fix: "deskbell partners list",
    });
}

type NewPartnerKey = {
  name?: string | undefined;
  expiresAt?: number | null | undefined;
  secretHash?: Buffer | undefined;
  /** Whether the key may rotate itself over HTTP; not by default. */
  selfRotation?: boolean | undefined;
};

/**
 * Creates another key of a partner, with the same rights. Commands for keys rotate and revoke it.
 * @throws AppError validation_failed; conflict if the server has the key already
 */
export function createPartnerKey(
  rt: Runtime,
  partner: PartnerRow,
  { name = partner.name, expiresAt, secretHash, selfRotation }: NewPartnerKey,
): CreatedKey {
  if (secretHash && hasKey(rt, secretHash))
    throw new AppError("conflict", "The server already has a key with this hash.", {
      fix: "deskbell keys list",
    });
  return createKey(rt, {
    businessId: null,
    partnerId: partner.id,
    name,
    kind: "RESTRICTED",
    scopes: partner.scopes,
    eventGroups: partner.eventGroups,
    cidrs: partner.cidrs,
    // The limits of the key apply to all businesses together. Each access has limits for its
    // business.
    limitMinute: partner.totalMinute,
    limitHour: partner.totalHour,
    maxEndpoints: partner.maxEndpoints,
    maxHolds: partner.maxHolds,
    maxBookingsDay: partner.maxBookingsDay,
    expiresAt,
    secretHash,
    selfRotation,
  });
}

const hasKey = (rt: Runtime, hash: Buffer): boolean =>
  (rt.store.keys.findCredential(hash) ?? rt.store.partnerAccess.findCredential(hash)) !== undefined;

/** @throws AppError resource_not_found */
export const getPartner = (rt: Runtime, nameOrId: string): PartnerRow =>
  assertFound(
    rt.openStore(createPartnerStore).find(nameOrId),
    `There is no partner ${quote(nameOrId)}.`,
    "deskbell partners list",
  );

/**
 * Lets a partner reach businesses, also those whose owner has excluded it before. A partner that has
 * reached a business before manages its own visits there again.
 * @throws AppError conflict if the partner already reaches one of the businesses; no business is
 *   then added
 */
export function addBusinesses(
  rt: Runtime,
  partner: PartnerRow,
  businesses: readonly BusinessRow[],
): void {
  rt.tx(() => {
    for (const business of businesses) {
      if (rt.store.partnerAccess.find(partner.id, business.id))
        throw new AppError(
          "conflict",
          `The partner ${quote(partner.name)} already reaches ${business.slug}.`,
          { fix: `deskbell partners show ${shellQuote(partner.name)}` },
        );
      const store = rt.openStore(createPartnerStore);
      store.readmit(partner.id, business.id);
      const accessId = joinBusiness(rt, partner, business);
      store.transferVisits(partner.id, business.id, accessId);
    }
  });
}

/**
 * Lets a partner reach a business, and publishes `business.added`. Call it in a transaction.
 * @returns the ID of the access
 */
export function joinBusiness(rt: Runtime, partner: PartnerRow, business: BusinessRow): string {
  const accessId = giveAccess(rt, partner, business);
  publish(rt, "business.added", business, accessId);
  return accessId;
}

/**
 * Ends the access of a partner to businesses: its endpoints there are disabled, its holds released.
 * @param isExclusion whether the owners of the businesses exclude the partner. An exclusion is
 *   recorded even if the partner does not reach the business
 * @throws AppError conflict if the partner does not reach one of the businesses, unless they
 *   exclude it; no business is then removed
 */
export function removeBusinesses(
  rt: Runtime,
  partner: PartnerRow,
  businesses: readonly BusinessRow[],
  { isExclusion = false }: { isExclusion?: boolean } = {},
): void {
  const findAccess = ({ id }: BusinessRow) => rt.store.partnerAccess.find(partner.id, id);
  const ids = businesses.flatMap((business) => findAccess(business)?.id ?? []);
  revokeForGood(rt, ids, () => {
    for (const business of businesses) {
      const access = findAccess(business);
      if (access === undefined && !isExclusion)
        throw new AppError(
          "conflict",
          `The partner ${quote(partner.name)} does not reach ${business.slug}.`,
          { fix: `deskbell partners show ${shellQuote(partner.name)}` },
        );
      if (isExclusion) rt.openStore(createPartnerStore).exclude(partner.id, business.id, rt.now());
      if (access) {
        publish(rt, "business.removed", business, access.id);
        revokeInTransaction(rt, access.id);
      }
      const { id, name } = partner;
      const action = isExclusion ? "partner.excluded" : "partner.business_removed";
      audit(rt, { action, subject: { id, name }, businessId: business.id });
    }
  });
}

/** Deletes a partner with its endpoints, and ends all of its keys and its access to businesses. */
export function deletePartner(
  rt: Runtime,
  partner: PartnerRow,
): { businesses: number; keys: number; endpoints: number } {
  const { id, name } = partner;
  const keys = rt.store.partnerAccess.listKeys(id).map((key) => key.id);
  const accesses = rt.store.partnerAccess.listAccessIds(id);
  return revokeForGood(rt, [id, ...keys, ...accesses], () => {
    const endpoints = rt.store.endpoints.listOf({ businessId: null, partnerId: id });
    for (const endpoint of endpoints) deleteEndpoint(rt, endpoint.id);
    for (const keyId of [...keys, ...accesses]) revokeInTransaction(rt, keyId);
    rt.openStore(createPartnerStore).markDeleted(id, rt.now());
    const details = {
      businesses: accesses.length,
      keys: keys.length,
      endpoints: endpoints.length,
    };
    audit(rt, { action: "partner.deleted", subject: { id, name }, businessId: null, details });
    return details;
  });
}

/** Stores the access of a partner to a business, and returns the ID of the access. */
function giveAccess(rt: Runtime, partner: PartnerRow, { id: businessId }: Reached): string {
  const { id: partnerId, name, scopes, eventGroups, cidrs } = partner;
  const { limitMinute, limitHour, maxHolds, maxBookingsDay, maxEndpoints } = partner;
  const id = rt.newId("key");
  rt.store.keys.insert({
    id,
    businessId,
    partnerId,
    kind: "RESTRICTED",
    name,
    scopes,
    eventGroups,
    cidrs,
    limitMinute,
    limitHour,
    maxEndpoints,
    maxHolds,
    maxBookingsDay,
    createdAt: rt.now(),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    endpointsAtEnd: "STOP",
    gainedScopes: null,
    selfRotation: false,
    guestMail: false,
  });
  audit(rt, {
    action: "partner.business_added",
    subject: { id: partnerId, name },
    businessId,
    details: { key: id, scopes, eventGroups },
  });
  return id;
}

function publish(
  rt: Runtime,
  type: "business.added" | "business.removed",
  business: BusinessRow,
  accessId: string,
): void {
  const { slug, name, timezone } = business.doc;
  appendEvents(
    rt,
    business,
    [businessEvent(type, { id: business.id, slug, name, timezone })],
    accessId,
  );
}
