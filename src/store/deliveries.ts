import type { EventType } from "../domain/event-types.ts";
import type { Outcome, Settlement } from "../domain/settle.ts";
import type { Db } from "./database.ts";
import type { EventRow } from "./events.ts";

export type DeliveryStatus = "PENDING" | "DELIVERED" | "EXHAUSTED" | "PARKED" | "CANCELLED" | "CORRUPT";

export type DeliveryRow = {
  id: string;
  businessId: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  sequence: number;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: number | null;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: number;
  deliveredAt: number | null;
};

export type AttemptRow = {
  n: number;
  at: number;
  durationMs: number;
  outcome: Outcome["kind"];
  statusCode: number | null;
  error: string | null;
  responseText: string | null;
};

/** What the courier needs of a delivery to send it. */
export type DueRow = Pick<DeliveryRow, "id" | "attemptCount" | "eventId" | "eventType" | "sequence"> & {
  number: number;
};

export type DeliveryFilter = {
  businessId?: string | undefined;
  endpointId?: string | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: EventType | undefined;
  /** Created at or after. */
  since?: number | undefined;
  /** An id: only what is older. */
  before?: string | undefined;
};

type NewDelivery = { id: string; endpointId: string; event: EventRow; nextAttemptAt: number | null };

const COLUMNS = `id, business_id AS businessId, endpoint_id AS endpointId, event_id AS eventId, event_type AS eventType, sequence,
  status, attempt_count AS attemptCount, next_attempt_at AS nextAttemptAt, last_status_code AS lastStatusCode,
  last_error AS lastError, created_at AS createdAt, delivered_at AS deliveredAt`;

const CONDITIONS: Record<keyof DeliveryFilter, string> = {
  businessId: "business_id = :businessId",
  endpointId: "endpoint_id = :endpointId",
  status: "status = :status",
  eventType: "event_type = :eventType",
  since: "created_at >= :since",
  before: "id < :before",
};

// Said in the words of the partial index delivery_undelivered, so that the planner may use it for the few that ended so.
const IS_UNDELIVERED = "status NOT IN ('PENDING', 'DELIVERED')";
const MOST_ARE = new Set<DeliveryStatus>(["PENDING", "DELIVERED"]);

export function createDeliveryStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO delivery (id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count,
      next_attempt_at, created_at)
    VALUES (:id, :businessId, :endpointId, :eventId, :eventType, :sequence, :status, 0, :nextAttemptAt, :createdAt)`);
  const byId = db.prepare(`SELECT ${COLUMNS} FROM delivery WHERE id = ?`);
  const attempts = db.prepare(`
    SELECT n, at, duration_ms AS durationMs, outcome, status_code AS statusCode, error, response_text AS responseText
    FROM attempt WHERE delivery = (SELECT number FROM delivery WHERE id = ?) ORDER BY n`);

  const lastNumber = db.prepare("SELECT coalesce(max(number), 0) FROM delivery").pluck();
  // The unary plus keeps the planner from walking the whole backlog in the index of due rows.
  const endpointsAmong = db
    .prepare(
      "SELECT DISTINCT +endpoint_id FROM delivery WHERE number > :after AND number <= :upTo AND +status = 'PENDING'",
    )
    .pluck();
  // One probe for each endpoint: a backlog of a million rows costs no more than one of ten.
  const endpointsDue = db
    .prepare(`
      SELECT id FROM endpoint WHERE status = 'ACTIVE' AND deleted_at IS NULL AND EXISTS (
        SELECT 1 FROM delivery WHERE endpoint_id = endpoint.id AND status = 'PENDING' AND next_attempt_at <= :now)`)
    .pluck();
  const due = db.prepare(`
    SELECT number, id, attempt_count AS attemptCount, event_id AS eventId, event_type AS eventType, sequence
    FROM delivery WHERE endpoint_id = :endpointId AND status = 'PENDING' AND next_attempt_at <= :now
    ORDER BY next_attempt_at, number`);
  // What was parked or cancelled while it was on the wire stays so, unless the receiver has it now.
  const settle = db.prepare(`
    UPDATE delivery SET attempt_count = coalesce(:attemptCount, attempt_count), last_status_code = :lastStatusCode, last_error = :lastError,
      delivered_at = :deliveredAt,
      status = iif(status = 'PENDING' OR :status = 'DELIVERED', :status, status),
      next_attempt_at = iif(status = 'PENDING' OR :status = 'DELIVERED', :nextAttemptAt, next_attempt_at)
    WHERE number = :number AND id = :id`);
  const insertAttempt = db.prepare(`
    INSERT INTO attempt (delivery, n, at, duration_ms, outcome, status_code, error, response_text)
    VALUES (:number, :n, :at, :durationMs, :outcome, :statusCode, :error, :responseText)`);

  return {
    /** @param nextAttemptAt null parks it */
    insert({ id, endpointId, event, nextAttemptAt }: NewDelivery): void {
      insert.run({
        id,
        businessId: event.businessId,
        endpointId,
        eventId: event.id,
        eventType: event.type,
        sequence: event.sequence,
        status: nextAttemptAt === null ? "PARKED" : "PENDING",
        nextAttemptAt,
        createdAt: event.createdAt,
      });
    },

    byId: (id: string): DeliveryRow | undefined => byId.get(id) as DeliveryRow | undefined,
    attempts: (id: string): AttemptRow[] => attempts.all(id) as AttemptRow[],

    /** Newest first. */
    list(filter: DeliveryFilter, limit: number): DeliveryRow[] {
      const asked = (Object.keys(CONDITIONS) as (keyof DeliveryFilter)[]).filter((name) => filter[name] !== undefined);
      const conditions = asked.map((name) => CONDITIONS[name]);
      if (filter.status !== undefined && !MOST_ARE.has(filter.status)) conditions.push(IS_UNDELIVERED);
      const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
      return db
        .prepare(`SELECT ${COLUMNS} FROM delivery ${where} ORDER BY id DESC LIMIT :limit`)
        .all({ ...filter, limit }) as DeliveryRow[];
    },

    lastNumber: (): number => lastNumber.get() as number,
    /** The endpoints to which something was added between two numbers. */
    endpointsAmong: (after: number, upTo: number): string[] => endpointsAmong.all({ after, upTo }) as string[],
    endpointsDue: (now: number): string[] => endpointsDue.all({ now }) as string[],
    /** At most `room` of an endpoint's due deliveries, the longest due first, without those that are held already. */
    due(endpointId: string, now: number, room: number, held: ReadonlySet<string>): DueRow[] {
      const found: DueRow[] = [];
      for (const row of due.iterate({ endpointId, now }) as Iterable<DueRow>) {
        if (!held.has(row.id)) found.push(row);
        if (found.length === room) break;
      }
      return found;
    },

    /** Writes where a delivery stands and the attempt that brought it there. One that is gone with its business is left so. */
    settle({ number, id }: DueRow, settlement: Settlement, attempt: AttemptRow | null): void {
      const { status, nextAttemptAt, deliveredAt, error } = settlement;
      const { changes } = settle.run({
        number,
        id,
        status,
        nextAttemptAt,
        deliveredAt,
        lastError: error,
        attemptCount: attempt?.n ?? null,
        lastStatusCode: attempt?.statusCode ?? null,
      });
      if (changes === 1 && attempt !== null) insertAttempt.run({ ...attempt, number });
    },
  };
}
