import type { Db } from "./database/db.ts";
import { parseOptional } from "./database/db.ts";
import {
  BUSINESS_COLUMNS,
  type Credential,
  KEY_COLUMNS,
  type KeyBusiness,
  type KeyRow,
  LISTED_KEY,
  type ListedKey,
  parseKey,
  type PartnerCredential,
  SECRET_COLUMNS,
} from "./keys.ts";

/** Finds the keys of partners, and the access of partners to each business. */
export function createPartnerAccessStore(db: Db) {
  const selectPartnerCredential = db.prepare(`
    SELECT ${KEY_COLUMNS}, ${SECRET_COLUMNS}
    FROM api_key_secret secret JOIN api_key key ON key.id = secret.key_id
    WHERE secret.hash = ? AND key.business_id IS NULL`);
  const selectAccess = db.prepare(`
    SELECT ${KEY_COLUMNS}, ${BUSINESS_COLUMNS}
    FROM business JOIN api_key key ON key.business_id = business.id
    WHERE business.slug = :slug AND key.partner_id = :partnerId AND key.revoked_at IS NULL`);
  const selectAccessIn = db.prepare(`
    SELECT ${KEY_COLUMNS}, NULL AS prefix, NULL AS last4 FROM api_key key
    WHERE key.business_id = :businessId AND key.partner_id = :partnerId AND key.revoked_at IS NULL`);
  const selectKeys = db.prepare(
    `${LISTED_KEY} WHERE key.partner_id = ? AND key.business_id IS NULL ORDER BY key.id`,
  );
  const selectAccessOf = db.prepare(`
    SELECT ${KEY_COLUMNS}, NULL AS prefix, NULL AS last4 FROM api_key key
    WHERE key.business_id = ? AND key.partner_id IS NOT NULL AND key.revoked_at IS NULL ORDER BY key.id`);
  const selectAccessIds = db
    .prepare(
      "SELECT id FROM api_key WHERE partner_id = ? AND business_id IS NOT NULL AND revoked_at IS NULL",
    )
    .pluck();
  const selectFirstBusiness = db
    .prepare(
      "SELECT min(business_id) FROM api_key WHERE partner_id = ? AND business_id IS NOT NULL AND revoked_at IS NULL",
    )
    .pluck();
  const selectHasOtherKey = db
    .prepare(
      "SELECT EXISTS (SELECT 1 FROM api_key WHERE partner_id = ? AND business_id IS NULL AND ended_at IS NULL AND id <> ?)",
    )
    .pluck();
  const selectPartnerName = db.prepare("SELECT name FROM partner WHERE id = ?").pluck();

  return {
    /** Finds the key of a partner by the hash of a secret, even if the secret has ended. */
    findCredential: (hash: Buffer) =>
      parseOptional(selectPartnerCredential.get(hash), parseKey<PartnerCredential>),
    /** Returns a partner's access to one business; undefined if the partner does not reach it. */
    findAtBusiness(partner: PartnerCredential, slug: string): Credential | undefined {
      const { partnerId, secretKeyId, secretExpiresAt, secretRepeatsUntil } = partner;
      const row = selectAccess.get({ slug, partnerId });
      if (row === undefined) return undefined;
      // The access has no secret, so the fields about secrets are those of the partner's key.
      const { expiresAt, selfRotation } = partner;
      const ofKey = { expiresAt, selfRotation, secretKeyId, secretExpiresAt, secretRepeatsUntil };
      return { ...parseKey<KeyRow & KeyBusiness>(row), ...ofKey };
    },
    /** Returns the access of a partner to a business; undefined if there is none. */
    find: (partnerId: string, businessId: string) =>
      parseOptional(selectAccessIn.get({ partnerId, businessId }), parseKey<ListedKey>),
    listOfBusiness: (businessId: string) => selectAccessOf.all(businessId).map(parseKey<ListedKey>),
    /** Lists the IDs of a partner's access to each of its businesses. */
    listAccessIds: (partnerId: string) => selectAccessIds.all(partnerId) as string[],
    /**
     * Lists the keys that hold the partner's secrets. The partner's accesses to businesses are left
     * out, because they have no secret.
     */
    listKeys: (partnerId: string) => selectKeys.all(partnerId).map(parseKey<ListedKey>),
    /** Returns whether a partner has another key, whose end was not carried out yet. */
    hasOtherKey: (partnerId: string, keyId: string): boolean =>
      selectHasOtherKey.get(partnerId, keyId) === 1,
    /**
     * Returns the ID of one of the businesses that a partner can access; undefined if there is
     * none.
     */
    findFirstBusinessId: (partnerId: string) =>
      (selectFirstBusiness.get(partnerId) ?? undefined) as string | undefined,
    findName: (partnerId: string) => selectPartnerName.get(partnerId) as string | undefined,
  };
}
