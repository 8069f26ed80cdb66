import type { BusinessRow } from "../store/businesses.ts";
import { deleteBusiness } from "./delete-business.ts";
import { ON_REMOVAL } from "../features/on-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Deletes a business that has moved to another server. The features that make backups record the
 * move, so that a restore of an older backup does not bring the business back: two servers could
 * then book the same time.
 */
export function deleteMovedBusiness(
  rt: Runtime,
  business: BusinessRow,
): ReturnType<typeof deleteBusiness> {
  const deleted = rt.tx(() => {
    const contents = deleteBusiness(rt, business);
    if (!rt.isDryRun()) for (const { businessMoved } of ON_REMOVAL) businessMoved?.(rt, business);
    return contents;
  });
  if (!rt.isDryRun()) for (const { committed } of ON_REMOVAL) committed?.(rt);
  return deleted;
}
