import type { EventType } from "../../domain/events/event-types.ts";
import { columns, type Db, insertInto, parseOptional } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";
import { VISIT_TABLES } from "../../store/sealed.ts";
import type { PartnerSettings } from "./rules.ts";

export type PartnerRow = PartnerSettings & {
  id: string;
  /** Whether the partner was created for all businesses of the server. */
  coversAll: boolean;
  createdAt: number;
};

export type ReachedBusiness = {
  id: string;
  slug: string;
  name: string;
  timezone: string;
  catalogVersion: number;
  lastSequence: number;
};

/** An event of a business with partners, by its position. Its body is read separately. */
export type PlacedEvent = {
  position: number;
  businessId: string;
  sequence: number;
  type: EventType;
  ownerKeyId: string | null;
};

/** The fields that are stored as JSON. */
type Lists = "scopes" | "eventGroups" | "cidrs";

/** A change of a catalog, or a business that was added, by the position of its event. */
type PlacedChange = Pick<PlacedEvent, "position" | "businessId">;

const PARTNER = `id, name, covers_all, covers_future, scopes, event_groups, cidrs, limit_minute, limit_hour, max_holds,
  max_bookings_day, total_minute, total_hour, max_endpoints, created_at`;
const REACHED = `business.id, business.slug, business.doc ->> 'name' AS name,
  business.doc ->> 'timezone' AS timezone, business.catalog_version AS catalogVersion,
  business.last_sequence AS lastSequence`;
/** The access of a partner to businesses: its keys with a business that were not revoked. */
const ACCESS = "partner_id = :partnerId AND business_id IS NOT NULL AND revoked_at IS NULL";

const selectPartners = `SELECT ${columns(PARTNER)} FROM partner WHERE deleted_at IS NULL`;

const serialise = (row: PartnerRow) => ({
  ...row,
  coversAll: row.coversAll ? 1 : 0,
  coversFuture: row.coversFuture ? 1 : 0,
  scopes: JSON.stringify(row.scopes),
  eventGroups: JSON.stringify(row.eventGroups),
  cidrs: JSON.stringify(row.cidrs),
});

function parse(raw: unknown): PartnerRow {
  const row = raw as Omit<PartnerRow, Lists> & Record<Lists, string>;
  return {
    ...row,
    coversAll: Boolean(row.coversAll),
    coversFuture: Boolean(row.coversFuture),
    scopes: parseJson(row.scopes, "partner.scopes"),
    eventGroups: parseJson(row.eventGroups, "partner.event_groups"),
    cidrs: parseJson(row.cidrs, "partner.cidrs"),
  };
}

/**
 * Lists the partners that reach every new business. The store is separate because the creation of a
 * business needs no other statement about partners.
 */
export function createFuturePartnerStore(db: Db) {
  const select = db.prepare(`${selectPartners} AND covers_future = 1 ORDER BY id`);
  return { list: () => select.all().map(parse) };
}

export function createPartnerStore(db: Db) {
  const insert = db.prepare(insertInto("partner", PARTNER));
  const selectAll = db.prepare(`${selectPartners} ORDER BY name`);
  const selectByName = db.prepare(`${selectPartners} AND (name = :name OR id = :name)`);
  const update = db.prepare(`
    UPDATE partner SET name = :name, covers_future = :coversFuture, scopes = :scopes, event_groups = :eventGroups,
      cidrs = :cidrs, limit_minute = :limitMinute, limit_hour = :limitHour, max_holds = :maxHolds,
      max_bookings_day = :maxBookingsDay, total_minute = :totalMinute, total_hour = :totalHour,
      max_endpoints = :maxEndpoints
    WHERE id = :id`);
  // A key can have limits of its own, which stay unless the partner's setting changes.
  const updateKeys = db.prepare(`
    UPDATE api_key SET name = iif(business_id IS NOT NULL OR name = :formerName, :name, name),
      scopes = :scopes, event_groups = :eventGroups, cidrs = :cidrs, max_holds = :maxHolds,
      max_bookings_day = :maxBookingsDay,
      max_endpoints = iif(:maxEndpoints = :formerMaxEndpoints, max_endpoints, :maxEndpoints),
      limit_minute = iif(business_id IS NOT NULL, :limitMinute,
        iif(:totalMinute = :formerTotalMinute, limit_minute, :totalMinute)),
      limit_hour = iif(business_id IS NOT NULL, :limitHour,
        iif(:totalHour = :formerTotalHour, limit_hour, :totalHour))
    WHERE partner_id = :id AND revoked_at IS NULL`);
  const markDeleted = db.prepare("UPDATE partner SET deleted_at = :at WHERE id = :id");

  const countReached = db.prepare(`SELECT count(*) FROM api_key WHERE ${ACCESS}`).pluck();
  const selectReached = db.prepare(`
    SELECT ${REACHED} FROM api_key JOIN business ON business.id = business_id
    WHERE ${ACCESS} AND business_id > :after ORDER BY business_id LIMIT :limit`);
  const selectReachedOne = db.prepare(`
    SELECT ${REACHED} FROM api_key JOIN business ON business.id = business_id
    WHERE ${ACCESS} AND business_id = :businessId`);
  const selectPartnersOf = db.prepare(`${selectPartners} AND id IN (
    SELECT partner_id FROM api_key WHERE business_id = ? AND partner_id IS NOT NULL AND revoked_at IS NULL)
    ORDER BY name`);

  const exclude = db.prepare(`
    INSERT INTO partner_exclusion (partner_id, business_id, excluded_at) VALUES (:partnerId, :businessId, :at)
    ON CONFLICT DO NOTHING`);
  const readmit = db.prepare(
    "DELETE FROM partner_exclusion WHERE partner_id = :partnerId AND business_id = :businessId",
  );
  const selectExcluded = db
    .prepare(`
      SELECT slug FROM partner_exclusion JOIN business ON business.id = business_id
      WHERE partner_id = ? ORDER BY slug`)
    .pluck();

  const ofFormerAccess = (column: string) =>
    `${column} IN (SELECT id FROM api_key WHERE partner_id = :partnerId AND business_id = :businessId)`;
  const transfers = [
    ...VISIT_TABLES.map((table) =>
      db.prepare(
        `UPDATE ${table} SET created_by_key = :accessId WHERE ${ofFormerAccess("created_by_key")}`,
      ),
    ),
    db.prepare(`UPDATE key_visits SET key_id = :accessId WHERE ${ofFormerAccess("key_id")}`),
  ];

  const selectAfter = db.prepare(`
    SELECT ${columns("position, business_id, sequence, type, owner_key_id")} FROM event
    WHERE position IS NOT NULL AND position > ? ORDER BY position`);
  // The index of positions has all of these columns, so SQLite skips other events without reading
  // their rows.
  const selectChanges = db.prepare(`
    SELECT ${columns("position, business_id")} FROM event
    WHERE position IS NOT NULL AND position > :after AND type IN ('catalog.changed', 'business.added')
    ORDER BY position`);

  return {
    insert: (row: PartnerRow) => void insert.run(serialise(row)),
    /** Changes a partner, all of its keys and its access to businesses. */
    update(former: PartnerRow, partner: PartnerRow): void {
      const row = serialise(partner);
      update.run(row);
      updateKeys.run({
        ...row,
        formerName: former.name,
        formerMaxEndpoints: former.maxEndpoints,
        formerTotalMinute: former.totalMinute,
        formerTotalHour: former.totalHour,
      });
    },
    list: () => selectAll.all().map(parse),
    /** Finds a partner by its name or ID. */
    find: (name: string) => parseOptional(selectByName.get({ name }), parse),
    markDeleted: (id: string, at: number) => void markDeleted.run({ id, at }),

    countReached: (partnerId: string) => countReached.get({ partnerId }) as number,
    /** Lists the businesses that a partner reaches, by ascending ID, after the ID `after`. */
    listReached: (partnerId: string, after: string, limit: number) =>
      selectReached.all({ partnerId, after, limit }) as ReachedBusiness[],
    findReached: (partnerId: string, businessId: string) =>
      selectReachedOne.get({ partnerId, businessId }) as ReachedBusiness | undefined,
    /** Lists the partners that reach a business. */
    listOfBusiness: (businessId: string) => selectPartnersOf.all(businessId).map(parse),

    exclude: (partnerId: string, businessId: string, at: number) =>
      void exclude.run({ partnerId, businessId, at }),
    readmit: (partnerId: string, businessId: string) => void readmit.run({ partnerId, businessId }),
    /**
     * Transfers the visits and ticket orders of the partner's former access to a business, and their
     * counts, to a new access that has made none yet.
     */
    transferVisits(partnerId: string, businessId: string, accessId: string): void {
      for (const transfer of transfers) transfer.run({ partnerId, businessId, accessId });
    },
    listExcludedSlugs: (partnerId: string) => selectExcluded.all(partnerId) as string[],

    /** Yields the events of all businesses with partners after a position. */
    iterateAfter: (position: number) =>
      selectAfter.iterate(position) as IterableIterator<PlacedEvent>,
    /** Yields the changes of all businesses with partners after a position. */
    iterateChanges: (after: number) =>
      selectChanges.iterate({ after }) as IterableIterator<PlacedChange>,
  };
}
