import type { BeforeCatalogWrite } from "../app/catalog/changes/catalog-write.ts";
import { joinNewBusiness } from "./partners/join-new-business.ts";
import { recordChange } from "./undo/record-change.ts";

/**
 * What features do in the transaction that writes a catalog. A transaction is synchronous and
 * cannot import code, so the use cases that write catalogs import this list. It is not in index.ts,
 * which every process loads.
 */
export const BEFORE_CATALOG_WRITE: readonly BeforeCatalogWrite[] = [recordChange, joinNewBusiness];
