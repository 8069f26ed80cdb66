import { editObject } from "../../app/catalog/catalog.ts";
import type { ChangeResult } from "../../app/catalog/plan-change.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { withEdits } from "../objects/objects.ts";

const STEP_CENTS = 100;

/**
 * Makes price change number `n` of a demo through the same use case as `services update`: each
 * service in turn becomes one unit more expensive, and in the next round cheaper again.
 */
export function editNextPrice(rt: Runtime, business: BusinessRow, n: number): ChangeResult {
  const services = rt.store.catalog
    .listObjects(business.id)
    .service.filter(({ priceType, status }) => priceType === "FIXED" && status === "ACTIVE");
  const service = services[n % services.length];
  if (!service) throw new Error(`${business.slug} has no service with a price`);
  const step = Math.floor(n / services.length) % 2 === 0 ? STEP_CENTS : -STEP_CENTS;
  return editObject(
    rt,
    business.slug,
    "service",
    objectId("service", business.slug, service),
    (doc) => withEdits(doc, { priceCents: doc.priceCents + step }),
  );
}
