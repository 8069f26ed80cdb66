import type { Runtime } from "../app/runtime.ts";
import { loadFromFeatures } from "../features/index.ts";
import type { BusinessRow } from "../store/businesses.ts";

/** A value that the shell suggests, and what it is about. */
export type Candidate = { value: string; about: string };

export type Lister = (rt: Runtime, business: BusinessRow | undefined) => Candidate[];

/**
 * Values from the data that the shell completes, by noun and argument or flag: `keys <key>`; by the
 * latter alone if it means the same for every noun.
 */
export type LiveValues = readonly [valueKind: string, list: Lister];

/** Loads the values that features add. */
export const loadLiveValues = async (): Promise<Record<string, Lister>> =>
  Object.fromEntries(await loadFromFeatures("completion"));

/** Maximum suggestions for append-only lists, newest first. */
export const MAX_NEWEST = 50;

export const candidate = (value: string, about = ""): Candidate => ({ value, about });

/** Lists values only if the business is clear: the named one or the only one. */
export const perBusiness =
  (list: (rt: Runtime, businessId: string) => Candidate[]): Lister =>
  (rt, business) => {
    const [only, ...others] = business ? [business] : rt.store.businesses.list();
    return only && others.length === 0 ? list(rt, only.id) : [];
  };
