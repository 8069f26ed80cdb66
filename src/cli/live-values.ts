import type { Runtime } from "../app/runtime.ts";
import { loadFromFeatures } from "../features/index.ts";
import type { BusinessRow } from "../store/businesses.ts";

/** A value that the shell suggests, and what it is about. */
export type Suggestion = { value: string; about: string };

export type Lister = (rt: Runtime, business: BusinessRow | undefined) => Suggestion[];

/**
 * The stored values that a shell suggests for an argument or flag. `valueKind` is the argument or
 * flag itself for all groups of commands, such as `--order`, or its name in one group, such as
 * `events <event>`.
 */
export type LiveValues = readonly [valueKind: string, list: Lister];

/** Returns the listers that features add, by the kind of value. */
export const loadLiveValues = async (): Promise<Record<string, Lister>> =>
  Object.fromEntries(await loadFromFeatures("completion"));

/** How many entries of an append-only list are suggested; the newest come first. */
export const MAX_NEWEST = 50;

export const suggestion = (value: string, about = ""): Suggestion => ({ value, about });

/**
 * Returns a lister of the values of one business. The list is empty if no business is named and
 * there are several.
 */
export const perBusiness =
  (list: (rt: Runtime, businessId: string) => Suggestion[]): Lister =>
  (rt, business) => {
    const [only, another] = business ? [business] : rt.store.businesses.list(2);
    return only && another === undefined ? list(rt, only.id) : [];
  };
