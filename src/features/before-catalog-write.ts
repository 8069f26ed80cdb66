import type { BeforeCatalogWrite } from "../app/catalog/catalog-write.ts";
import { joinNewBusiness } from "./partners/join-new-business.ts";
import { recordChange } from "./undo/record-change.ts";

/**
 * What features do in the transaction that writes a catalog. The list is loaded with the use cases
 * that write catalogs, because a transaction can load nothing. It has a file of its own, because
 * every process reads index.ts.
 */
export const BEFORE_CATALOG_WRITE: readonly BeforeCatalogWrite[] = [recordChange, joinNewBusiness];
