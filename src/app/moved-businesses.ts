import type { BusinessRow } from "../store/businesses.ts";
import { deleteBusiness } from "./delete-business.ts";
import { removeForGood } from "./record-removal.ts";
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
  return removeForGood(rt, {
    remove(record) {
      const contents = deleteBusiness(rt, business);
      record();
      return contents;
    },
    record: ({ businessMoved }) => businessMoved?.(rt, business),
    consequence: "a restore of a backup would delete the business",
  });
}
