import { AppError } from "../../domain/errors.ts";
import { minIdAt } from "../../domain/ids.ts";
import { quote } from "../../domain/text.ts";
import { auditRow, auditTime } from "../../app/audit.ts";
import type { Runtime } from "../../app/runtime.ts";
import { getDestination } from "./delete-destination.ts";
import { createCursorStore, createDestinationStore } from "./store.ts";

/**
 * Makes the daemon publish all stored events since a time again, in order, and then newer events.
 * Message IDs contain the number of the redelivery, because a stream drops a message whose ID it
 * already has.
 * @param onlyBusinessId null for all businesses of the destination
 * @throws AppError resource_not_found; state_refuses for a business outside the destination
 */
export function redeliverEvents(
  rt: Runtime,
  id: string,
  since: number,
  onlyBusinessId: string | null = null,
): { businesses: number; events: number } {
  return rt.tx(() => {
    const destination = getDestination(rt, id);
    const destinations = rt.openStore(createDestinationStore);
    const cursors = rt.openStore(createCursorStore);
    if (
      destination.businessId !== null &&
      onlyBusinessId !== null &&
      destination.businessId !== onlyBusinessId
    )
      throw new AppError(
        "state_refuses",
        `${quote(destination.name)} has no events of this business.`,
        {
          fix: "leave out --business",
        },
      );
    const firstEvents = cursors.listFirstSince(
      minIdAt("evt", since),
      onlyBusinessId ?? destination.businessId,
    );
    for (const { businessId, sequence } of firstEvents) {
      // A cursor behind the requested time stays where it is, so that no event is left out.
      const acknowledged = cursors.find(id, businessId)?.sequence ?? 0;
      const after = Math.min(sequence - 1, acknowledged);
      cursors.deleteSkips(id, businessId, after);
      cursors.rewind(id, businessId, after);
    }
    // A new version makes the running publisher start again from the cursors.
    destinations.raiseVersion(id);
    // A redelivery of all businesses ends the health condition about a recreated stream.
    if (onlyBusinessId === destination.businessId || onlyBusinessId === null)
      destinations.clearRecreatedAt(id);
    const events = firstEvents.reduce((sum, { events }) => sum + events, 0);
    auditRow(rt, "destination.redelivered", destination, {
      since: auditTime(since),
      events,
    });
    return { businesses: firstEvents.length, events };
  });
}
