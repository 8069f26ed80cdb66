import type { AppError } from "../domain/errors.ts";
import { loadFromFeatures } from "../features/index.ts";
import type { EventNames, EventPlan } from "../domain/public/public-event.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { Runtime } from "./runtime.ts";

/** What a feature adds to the result of a command: fields for --json, and notes for a person. */
export type FeatureReport = { fields: Record<string, unknown>; notes: readonly string[] };

/**
 * How a feature makes sure that restoring an older copy of the data does not bring back what was
 * deleted for good.
 */
export type OnRemoval = {
  /** Called in the transaction that erases guests: if it throws, nobody is erased. */
  guestsErased?: (rt: Runtime, visitIds: readonly string[]) => void;
  /** Called in the transaction that deletes a business because it has moved to another server. */
  businessMoved?: (rt: Runtime, business: BusinessRow) => void;
  /**
   * Called in the transaction that revokes access or ends a secret of an API key. The function
   * never throws, because access that has leaked must end in any case.
   * @param ids the IDs of API keys, of their secrets (`secretId`), or of rows in tables that a
   *   feature lists under `access`
   */
  accessRevoked?: (rt: Runtime, ids: readonly string[]) => void;
  /**
   * Called after each of the functions above, once the transaction has committed. The function
   * never throws.
   */
  committed?: (rt: Runtime) => void;
  /** Returns where a deleted business is still stored, as notes for the operator. */
  describeRemains?: (rt: Runtime, isMoved: boolean) => string[];
};

/** What the guest of a visit, order or hold may want to know. Times are epoch milliseconds. */
export type GuestNews = {
  /**
   * `confirm`: the guest must confirm a hold. `calledOff`: the event of an order is cancelled or
   * postponed. Every other kind says what happened to a visit or order, or to the event of an order
   * (`moved`).
   */
  kind:
    | "received"
    | "confirmed"
    | "declined"
    | "expired"
    | "moved"
    | "calledOff"
    | "cancelled"
    | "confirm";
  /** The ID of the visit, order or hold. */
  id: string;
  /** The API key that made the visit, order or hold. */
  keyId: string;
  status: string;
  version: number;
  startsAt: number;
  endsAt: number;
  /**
   * The time at which the object expires: a pending visit unless it is approved, a pending order
   * unless it is paid, or a hold unless it is confirmed.
   */
  decideBy: number | null;
  cancelUntil: number;
  /** The public event of an order, which may leave the catalog before the guest is told. */
  event?: EventNames;
  /** The plans of the event of an order before and after the change that the news is about. */
  plans?: { known: EventPlan; plan: EventPlan };
  /**
   * The HMAC of the network address of a visitor. The news counts towards the limit of this
   * visitor.
   */
  visitor?: Buffer;
};

/**
 * Called in the transaction of the change that the news is about.
 * @returns whether the guest will be told
 */
export type OnGuestNews = (rt: Runtime, business: BusinessRow, news: GuestNews) => boolean;

/** Returns what a feature stores about a guest's visit: lists of records, by their names. */
export type ReadGuestRecords = (
  rt: Runtime,
  visitId: string,
) => Readonly<Record<string, readonly object[]>>;

/**
 * Called when a rotation of the master key has encrypted all data again, while the key file still
 * has the old key. A dry run changes nothing.
 */
export type OnKeyRotation = (rt: Runtime) => FeatureReport;

/** How a feature lets the daemon stop writing while reads go on. */
export type DaemonControl = {
  /** Waits for the deliveries in flight, and sends no more. */
  pauseDeliveries: () => Promise<void>;
  /** Saves what is counted in memory, and refuses all writes from now on. */
  refuseWrites: (error: AppError) => void;
  /** Sends deliveries and accepts writes again. */
  resume: () => Promise<void>;
  /** Ends the daemon with exit code 0, without making a last copy of the data. */
  end: (reason: string) => void;
};

/** Returns where guests who were erased are still stored outside the database, as in backups. */
export type FindErasedGuests = (rt: Runtime) => FeatureReport;

export const loadGuestRecords = (): Promise<ReadGuestRecords[]> => loadFromFeatures("guestRecords");

export const loadErasedGuests = (): Promise<FindErasedGuests[]> => loadFromFeatures("erasedGuests");
