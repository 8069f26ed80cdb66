import type { BeforeCatalogWrite } from "../../../app/catalog/changes/catalog-write.ts";
import { deepEqual } from "../../../domain/equality.ts";
import type { PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { planOf } from "../../../domain/public/public-event.ts";
import { createOrderStore } from "../store.ts";
import { tellOfOrder } from "./tell-guest.ts";

/**
 * Tells the guests of open orders that their event is cancelled, postponed, or at another time or
 * place than they know.
 */
export const tellOfEvents: BeforeCatalogWrite = (rt, { row, stored, next, diff }) => {
  const updated = new Set(
    diff.changes
      .filter(({ kind, action }) => kind === "public_event" && action === "update")
      .map(({ id }) => id),
  );
  // A new business has neither a row nor orders.
  if (row === undefined || stored === null || updated.size === 0) return;
  const idOf = (event: PublicEventDoc): string => objectId("public_event", row.slug, event);
  const before = new Map(stored.catalog.objects.public_event.map((event) => [idOf(event), event]));
  const orders = rt.openStore(createOrderStore);
  for (const event of next.objects.public_event) {
    const former = updated.has(idOf(event)) ? before.get(idOf(event)) : undefined;
    if (former === undefined || isPast(former, event, rt.now())) continue;
    const [known, plan] = [planOf(former), planOf(event)];
    if (deepEqual(known, plan)) continue;
    const kind = plan.calledOff === null ? "moved" : "calledOff";
    for (const { id } of orders.listActiveOf(row.id, rt.now(), [idOf(event)])) {
      const order = orders.findById(row.id, id);
      if (order !== undefined) tellOfOrder(rt, row, order, kind, { event, known, plan });
    }
  }
};

/**
 * Returns whether a change is about an event that is over, so that no guest need know. The old date
 * of a postponed event may have passed when the event is cancelled.
 */
const isPast = (before: PublicEventDoc, after: PublicEventDoc, now: number): boolean =>
  after.endsAt <= now && !(before.status === "POSTPONED" && after.status === "CANCELLED");
