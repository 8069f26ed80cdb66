import type { EventType } from "../domain/event-types.ts";
import type { Db } from "./database.ts";

export type EndpointStatus = "ACTIVE" | "DISABLED";

export type EndpointRow = {
  id: string;
  businessId: string;
  /** The key that created it; null: somebody at the terminal. */
  keyId: string | null;
  name: string;
  url: string;
  events: EventType[];
  /** Trusted by the operator: http and private addresses are fine for it. */
  allowPrivate: boolean;
  status: EndpointStatus;
  disabledReason: string | null;
  failingSince: number | null;
  createdAt: number;
  updatedAt: number;
};

export type SecretRow = {
  id: string;
  endpointId: string;
  sealed: Buffer;
  createdAt: number;
  /** null: the current one. */
  expiresAt: number | null;
};

/** Where the courier sends what it owes an endpoint. */
export type DestinationRow = Pick<EndpointRow, "id" | "url" | "allowPrivate">;

type Raw = Omit<EndpointRow, "events" | "allowPrivate"> & { events: string; allowPrivate: number };

const COLUMNS = `id, business_id AS businessId, key_id AS keyId, name, url, events, allow_private AS allowPrivate, status,
  disabled_reason AS disabledReason, failing_since AS failingSince, created_at AS createdAt, updated_at AS updatedAt`;

/** A deleted endpoint is in no answer of this store; only its deliveries still name it. */
export function createEndpointStore(db: Db) {
  const parse = (raw: unknown): EndpointRow => {
    const row = raw as Raw;
    return { ...row, events: JSON.parse(row.events) as EventType[], allowPrivate: row.allowPrivate === 1 };
  };

  const byId = db.prepare(`SELECT ${COLUMNS} FROM endpoint WHERE id = ? AND deleted_at IS NULL`);
  const all = db.prepare(`SELECT ${COLUMNS} FROM endpoint WHERE deleted_at IS NULL ORDER BY id`);
  const ofBusiness = db.prepare(
    `SELECT ${COLUMNS} FROM endpoint WHERE business_id = ? AND deleted_at IS NULL ORDER BY id`,
  );
  const count = db.prepare("SELECT count(*) FROM endpoint WHERE business_id = ? AND deleted_at IS NULL").pluck();
  const insert = db.prepare(`
    INSERT INTO endpoint (id, business_id, key_id, name, url, events, allow_private, status, disabled_reason, failing_since,
      created_at, updated_at)
    VALUES (:id, :businessId, :keyId, :name, :url, :events, :allowPrivate, :status, :disabledReason, :failingSince,
      :createdAt, :updatedAt)`);
  const destination = db.prepare(
    "SELECT id, url, allow_private AS allowPrivate FROM endpoint WHERE id = ? AND status = 'ACTIVE' AND deleted_at IS NULL",
  );
  const markFailing = db.prepare("UPDATE endpoint SET failing_since = :since WHERE id = :id AND failing_since IS NULL");
  const markWell = db.prepare("UPDATE endpoint SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL");

  const secrets = db.prepare(`
    SELECT id, endpoint_id AS endpointId, sealed, created_at AS createdAt, expires_at AS expiresAt
    FROM endpoint_secret WHERE endpoint_id = :endpointId AND (expires_at IS NULL OR expires_at > :now)`);
  const insertSecret = db.prepare(`
    INSERT INTO endpoint_secret (id, endpoint_id, sealed, created_at, expires_at)
    VALUES (:id, :endpointId, :sealed, :createdAt, :expiresAt)`);

  return {
    byId(id: string): EndpointRow | undefined {
      const raw = byId.get(id);
      return raw === undefined ? undefined : parse(raw);
    },
    list: (businessId?: string): EndpointRow[] =>
      (businessId === undefined ? all.all() : ofBusiness.all(businessId)).map(parse),
    count: (businessId: string): number => count.get(businessId) as number,
    insert: (row: EndpointRow): void =>
      void insert.run({ ...row, events: JSON.stringify(row.events), allowPrivate: row.allowPrivate ? 1 : 0 }),
    /** Undefined for one that is disabled or deleted. */
    destination(id: string): DestinationRow | undefined {
      const raw = destination.get(id) as { id: string; url: string; allowPrivate: number } | undefined;
      return raw && { ...raw, allowPrivate: raw.allowPrivate === 1 };
    },
    markFailing: (id: string, since: number): void => void markFailing.run({ id, since }),
    markWell: (id: string): void => void markWell.run(id),

    /** The live ones, the current one first. */
    secrets: (endpointId: string, now: number): SecretRow[] =>
      (secrets.all({ endpointId, now }) as SecretRow[]).sort((a, b) => endOf(b) - endOf(a)),
    insertSecret: (row: SecretRow): void => void insertSecret.run(row),
  };
}

const endOf = ({ expiresAt }: SecretRow): number => expiresAt ?? Number.POSITIVE_INFINITY;
