import { line } from "../catalog/file/values.ts";

/** The caller's own reference for a customer. */
export const customerRef = line(200).nullish();

/** `wash`, `wash*2`, or `cut:wash*2` if several services have it. */
export const quantifiedName = line(170);

export type NamedQuantity = { key: string; quantity: number };

/** Adds up the quantities of a name that occurs several times. */
export function parseQuantities(names: readonly string[]): NamedQuantity[] {
  const quantities = new Map<string, number>();
  for (const name of names) {
    const [, key = name, quantity = "1"] = /^(.+)\*(\d{1,6})$/.exec(name) ?? [];
    quantities.set(key, (quantities.get(key) ?? 0) + Number(quantity));
  }
  return [...quantities].map(([key, quantity]) => ({ key, quantity }));
}
