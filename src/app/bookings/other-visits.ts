import type { EventDraft } from "../../domain/envelope.ts";
import type { EventType } from "../../domain/event-types.ts";
import type { CatalogState } from "../../domain/public/catalog-changed.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

/** What the core reads of a visit that is neither a booking nor a reservation. */
export type OtherVisit = {
  id: string;
  /** The code that commands accept in place of the ID. */
  code: string;
  status: string;
  /** The key that made the visit; null if the operator made it. */
  createdByKey: string | null;
  createdAt: number;
  /** The public event that the guest visits. */
  eventId: string;
  customerRef: string | null;
};

/** A kind of visit that a feature adds to bookings and reservations. */
export type OtherVisits = {
  /** One of the names in `visitNouns` of the feature. */
  name: string;
  /** Returns a visit by its ID or code. @param idOrCode as people type it */
  find: (rt: Runtime, businessId: string, idOrCode: string) => OtherVisit | undefined;
  /** Returns what the operator sees of a visit; undefined if the visit does not exist. */
  describe: (
    rt: Runtime,
    business: BusinessRow,
    id: string,
  ) => { type: string; object: object } | undefined;
  /** Returns the visits of these public events or ticket types that have not been cancelled. */
  listActiveOf: (
    rt: Runtime,
    businessId: string,
    ids: readonly string[],
  ) => Pick<OtherVisit, "id" | "eventId">[];
  /** Counts the visits of a key that take places and are not paid yet. */
  countPending: (rt: Runtime, keyId: string) => number;
  /** Returns an example of an event about such a visit; undefined for other events. */
  sampleEvent: (type: EventType, state: CatalogState, now: number) => EventDraft | undefined;
  /** Loads the function that cancels a visit as the operator, in the transaction of the caller. */
  loadCancel: () => Promise<CancelVisit>;
};

export type CancelVisit = (rt: Runtime, slug: string, id: string) => void;

let loaded: readonly OtherVisits[] | undefined;

/** Loads the kinds of visits that features add. A transaction that reads them cannot wait. */
export async function loadOtherVisits(): Promise<void> {
  loaded ??= await loadFromFeatures("visits");
}

/** Returns the kinds of visits that features add, after they have been loaded. */
export function otherVisits(): readonly OtherVisits[] {
  if (loaded === undefined) throw new Error("The visits of the features have not been loaded.");
  return loaded;
}

/** Asks the kinds of visits that features add; returns the first answer that is not undefined. */
export const askOtherVisits = <Answer>(
  ask: (kind: OtherVisits) => Answer | undefined,
): Answer | undefined =>
  otherVisits()
    .values()
    .map(ask)
    .find((answer) => answer !== undefined);
