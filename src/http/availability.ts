import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Call } from "./call.ts";

/** Public: anybody may ask, so that an unknown business is told from one that has no answer yet. */
export function answerAvailability(rt: Runtime): (call: Call, slug: string) => Response {
  return (_call, slug) => {
    if (!rt.store.businesses.bySlug(slug)) throw new AppError("business_not_found", "There is no such business.");
    throw new AppError("not_implemented", "Availability is not answered by this version yet.");
  };
}
