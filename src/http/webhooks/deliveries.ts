import { redeliver } from "../../app/webhooks/deliveries.ts";
import { requireOwnDelivery, requireOwnEndpoint } from "../../app/webhooks/own-webhooks.ts";
import { readRequest } from "../../domain/day/request.ts";
import { EVENT_TYPES } from "../../domain/event-types.ts";
import { firstIdOf } from "../../domain/ids.ts";
import { DELIVERY_STATUSES } from "../../domain/webhooks/delivery-status.ts";
import type { Runtime } from "../../runtime.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { Credential } from "../../store/keys.ts";
import type { LiveFilter } from "../../store/live-filter.ts";
import { readOptionalObject } from "../body.ts";
import { type Answer, answerJson, type Call } from "../call.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { idOf } from "./endpoint.ts";
import { noFields } from "./endpoint-actions.ts";
import { answerPage, businessOf, PRIVATE, timezoneOf } from "../key-answers.ts";
import { cursor, instant, oneOf, pageSize, readParameters } from "../parameters.ts";
import { representAttempt, representDelivery } from "./represent-webhooks.ts";
import { writeWhenFree } from "../writes.ts";

const DEFAULT_LIMIT = 100;
/** The schedule makes 20; who sends again and again makes any number. */
const SHOWN_ATTEMPTS = 100;

export const DELIVERIES_PARAMETERS = {
  status: oneOf(DELIVERY_STATUSES).describe("Only those that stand so"),
  eventType: oneOf(EVENT_TYPES).describe("Only those of events of this name"),
  since: instant.describe("Only those made since"),
  limit: pageSize.describe(`At most so many; ${DEFAULT_LIMIT} without it`),
  cursor,
};

/** The newest first, never all at once: there may be a million of them. */
export const listDeliveries =
  (rt: Runtime) =>
  (call: Call, key: Credential): Answer => {
    const asked = readParameters(DELIVERIES_PARAMETERS, call.asked.search);
    const { id } = requireOwnEndpoint(rt, key, idOf(call));
    const business = businessOf(rt, key);
    const { timezone } = business.doc;
    const path = `webhooks/${id}/deliveries`;
    const filter = { endpointId: id, state: asked.status, eventType: asked.eventType };
    const before = asked.cursor === undefined ? null : decodeCursor(path, asked.cursor).id;
    const since = asked.since?.resolve(timezone) ?? 0;
    const { rows, reached } = readPage(rt, filter, before, since, asked.limit ?? DEFAULT_LIMIT);
    const data = rows.map((delivery) => representDelivery(delivery, timezone));
    const nextCursor = reached && encodeCursor(path, { sortOrder: 0, id: reached });
    return answerPage(rt, call, business, path, { data, nextCursor });
  };

export const showDelivery =
  (rt: Runtime) =>
  (call: Call, key: Credential): Answer => {
    readParameters({}, call.asked.search);
    const delivery = requireOwnDelivery(rt, key, idOf(call));
    return answerJson(
      call,
      200,
      { data: withAttempts(rt, delivery, timezoneOf(rt, key)) },
      PRIVATE,
    );
  };

/** It is on its way again, not yet there. */
export const redeliverDelivery =
  (rt: Runtime) =>
  async (call: Call, key: Credential): Promise<Answer> => {
    readParameters({}, call.asked.search);
    const sent = await readOptionalObject(call);
    const { id } = requireOwnDelivery(rt, key, idOf(call));
    readRequest(noFields, sent);
    const delivery = await writeWhenFree(rt, () => redeliver(rt, id));
    return answerJson(
      call,
      202,
      { data: withAttempts(rt, delivery, timezoneOf(rt, key)) },
      PRIVATE,
    );
  };

const withAttempts = (rt: Runtime, delivery: DeliveryRow, timezone: string) => ({
  ...representDelivery(delivery, timezone),
  attempts: rt.store.deliveries
    .attempts(delivery.id, SHOWN_ATTEMPTS)
    .map((attempt) => representAttempt(attempt, timezone)),
});

/** A page, and where the next one goes on; null: nowhere. A rare combination may fill less than a page. */
function readPage(
  rt: Runtime,
  filter: LiveFilter,
  before: string | null,
  since: number,
  limit: number,
): { rows: DeliveryRow[]; reached: string | null } {
  const start = before === null ? null : { id: before, isIncluded: false };
  const found = rt.store.live.page(filter, "older", start, limit + 1);
  const rows = found.rows.slice(0, limit);
  const [next] = found.rows.slice(limit);
  const reached = next ? (rows.at(-1)?.id ?? null) : found.reached;
  // Ids rise with time: from here on all are older.
  const isOver = reached === null || (next?.id ?? reached) < firstIdOf("dlv", since);
  return {
    rows: rows.filter(({ createdAt }) => createdAt >= since),
    reached: isOver ? null : reached,
  };
}
