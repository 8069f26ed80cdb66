import { createTableCheck } from "../../domain/availability/segments.ts";
import type { Runtime } from "../runtime.ts";

/** Returns whether guests can reserve any table. Reading stops at the first such table. */
export function hasBookableTable({ store: { catalog } }: Runtime, businessId: string): boolean {
  const isBookable = createTableCheck(catalog.listByKind(businessId, "area"));
  return catalog.iterateByKind(businessId, "table").some(isBookable);
}
