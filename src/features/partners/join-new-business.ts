import type { BeforeCatalogWrite } from "../../app/catalog/changes/catalog-write.ts";
import { joinBusiness } from "./partners.ts";
import { createFuturePartnerStore } from "./store.ts";

/**
 * Lets the partners that cover future businesses reach a new business. A business is new if it had
 * no row before the write.
 */
export const joinNewBusiness: BeforeCatalogWrite = (rt, { row, businessId }) => {
  if (row !== undefined) return;
  const business = rt.store.businesses.findById(businessId);
  if (business === undefined) return;
  for (const partner of rt.openStore(createFuturePartnerStore).list())
    joinBusiness(rt, partner, business);
};
