import type { Visit } from "../../domain/bookings/visit.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { OPERATOR } from "./access.ts";
import { changeState, expireDueVisits } from "./change-visit.ts";
import type { VisitKind } from "./visit-kinds.ts";

/** Visits of one cancellation, because all are cancelled in one transaction. */
const MAX_VISITS = 1000;

/** The visits that a key has made since a time (epoch milliseconds). */
export type MadeByKey = { keyId: string; createdSince: number };

/** Lists those that have not started and are not cancelled, by start. */
export function listUpcomingOfKey<Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  businessId: string,
  { keyId, createdSince }: MadeByKey,
): Row[] {
  const filter = { businessId, createdByKey: keyId, createdSince, from: rt.now() };
  return (["PENDING", "CONFIRMED"] as const)
    .flatMap((status) => kind.store(rt).listPage({ ...filter, status }, MAX_VISITS))
    .toSorted((a, b) => a.startsAt - b.startsAt)
    .slice(0, MAX_VISITS);
}

/**
 * Cancels these visits on behalf of the operator, at most a thousand at a time.
 * @throws AppError business_not_found
 */
export const cancelVisitsOfKey = <Row extends Visit>(
  rt: Runtime,
  kind: VisitKind<Row>,
  slug: string,
  made: MadeByKey,
  reason: string | null,
): Row[] =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueVisits(rt, business);
    return listUpcomingOfKey(rt, kind, business.id, made).map((row) =>
      changeState(rt, kind, business, OPERATOR, row, "cancel", reason),
    );
  });
