import type { BusinessRow } from "../store/businesses.ts";
import { deleteBusiness } from "./delete-business.ts";
import { addToErasureList, movedLine } from "./guests/erasure-list.ts";
import { signErasureList } from "./guests/sign-erasure-list.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Deletes a business that another server has from now on. A restore of an older backup does not bring
 * it back: on two servers, its times would be booked twice.
 */
export function deleteMovedBusiness(
  rt: Runtime,
  business: BusinessRow,
): ReturnType<typeof deleteBusiness> {
  const deleted = rt.tx(() => {
    const contents = deleteBusiness(rt, business);
    const move = { id: business.id, server: rt.store.file.getServerId(), movedAt: rt.now() };
    if (!rt.isDryRun()) addToErasureList(rt.config, [movedLine(move)]);
    return contents;
  });
  if (!rt.isDryRun()) signErasureList(rt);
  return deleted;
}
