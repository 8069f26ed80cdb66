import type { BeforeCatalogWrite } from "../app/catalog/changes/catalog-write.ts";
import { joinNewBusiness } from "./partners/join-new-business.ts";
import { tellOfEvents } from "./tickets/orders/tell-of-events.ts";
import { recordChange } from "./undo/record-change.ts";

/**
 * Features run these functions in the transaction that writes a catalog. A transaction is
 * synchronous and cannot import code, so the use cases that write catalogs import this list. The
 * list is not in index.ts, because every process loads index.ts.
 */
export const BEFORE_CATALOG_WRITE: readonly BeforeCatalogWrite[] = [
  recordChange,
  joinNewBusiness,
  tellOfEvents,
];
