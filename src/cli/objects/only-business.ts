import { findSampleCommand } from "../../app/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { usageError } from "../failure.ts";

/** Returns what to do if there are no data. */
export function howToBegin(): string {
  const sample = findSampleCommand();
  return `write a catalog with deskbell init and load it with deskbell catalog apply FILE, or restore a backup: deskbell restore FILE${
    sample === undefined ? "" : `; to try deskbell with sample data: ${sample}`
  }`;
}

/** @throws AppError business_not_found; usage if there are several */
export function getOnlyBusiness(rt: Runtime): BusinessRow {
  const [only, ...others] = rt.store.businesses.list();
  if (!only)
    throw new AppError("business_not_found", "There is no business yet.", { fix: howToBegin() });
  if (others.length === 0) return only;
  throw usageError(
    "There are several businesses; choose one.",
    `add --business ${[only, ...others].map(({ slug }) => slug).join(" or ")}`,
  );
}
