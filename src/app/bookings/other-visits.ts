import type { EventDraft } from "../../domain/events/envelope.ts";
import type { EventType } from "../../domain/events/event-types.ts";
import type { CatalogState } from "../../domain/public/catalog-changed.ts";
import { loadFromFeatures } from "../../features/index.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

/**
 * A visit of a kind that a feature adds, such as a ticket order. The type has only the fields that
 * the core reads.
 */
export type OtherVisit = {
  id: string;
  /** The code that commands accept in place of the ID. */
  code: string;
  status: string;
  /** The key that made the visit; null if the operator made it. */
  createdByKey: string | null;
  createdAt: number;
  /** The ID of the public event that the guest visits. */
  eventId: string;
  customerRef: string | null;
};

/** The functions by which the core uses a kind of visit that a feature adds. */
export type OtherVisits = {
  /** One of the names in `visitNouns` of the feature. */
  name: string;
  /** Finds a visit by the ID or code that a user typed. */
  find: (rt: Runtime, businessId: string, idOrCode: string) => OtherVisit | undefined;
  /** Returns what the operator sees of a visit; undefined if the visit does not exist. */
  describe: (
    rt: Runtime,
    business: BusinessRow,
    id: string,
  ) => { type: string; object: object } | undefined;
  /** Returns the visits of these public events or ticket types, except cancelled visits. */
  listActiveOf: (
    rt: Runtime,
    businessId: string,
    ids: readonly string[],
  ) => Pick<OtherVisit, "id" | "eventId">[];
  /** Returns how many visits of a key occupy places, but are not paid yet. */
  countPending: (rt: Runtime, keyId: string) => number;
  /** Returns an example of an event about a visit of this kind; undefined for other event types. */
  sampleEvent: (type: EventType, state: CatalogState, now: number) => EventDraft | undefined;
  /**
   * Loads the function that cancels a visit as the operator. The caller runs that function in its
   * own transaction.
   */
  loadCancel: () => Promise<CancelVisit>;
};

export type CancelVisit = (rt: Runtime, slug: string, id: string) => void;

let loaded: readonly OtherVisits[] | undefined;

/** Loads the kinds of visits that features add. Call it early: a transaction cannot wait for it. */
export async function loadOtherVisits(): Promise<void> {
  loaded ??= await loadFromFeatures("visits");
}

/** Returns the kinds of visits that features add, after they have been loaded. */
export function otherVisits(): readonly OtherVisits[] {
  if (loaded === undefined) throw new Error("The visits of the features have not been loaded.");
  return loaded;
}

/** Asks each kind of visit that features add; returns the first answer that is not undefined. */
export const askOtherVisits = <Answer>(
  ask: (kind: OtherVisits) => Answer | undefined,
): Answer | undefined =>
  otherVisits()
    .values()
    .map(ask)
    .find((answer) => answer !== undefined);
