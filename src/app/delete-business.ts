import { audit } from "./audit.ts";
import { markErasedLog } from "./guests/erased-bytes.ts";
import type { Runtime } from "./runtime.ts";
import type { BusinessContents, BusinessRow } from "../store/businesses.ts";

/**
 * Deletes a business and returns what it contained. Partners get no event, because the business's
 * events are deleted, too. A dry run only counts: deleting a million rows and rolling back would
 * block other writers.
 */
export function deleteBusiness(rt: Runtime, { id, slug }: BusinessRow): BusinessContents {
  return rt.tx(() => {
    const contents = rt.store.businesses.countContents(id);
    if (rt.isDryRun()) return contents;
    rt.store.businesses.delete(id);
    markErasedLog(rt);
    audit(rt, {
      action: "business.deleted",
      subject: { id, name: slug },
      businessId: id,
      details: contents,
    });
    return contents;
  });
}
