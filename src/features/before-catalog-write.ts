import type { BeforeCatalogWrite } from "../app/catalog/catalog-write.ts";
import { recordChange } from "./undo/record-change.ts";

/**
 * What features do in the transaction that writes a catalog. These functions are loaded with the use
 * cases that write catalogs, because nothing can be loaded in a transaction. They have a list of
 * their own, because every process reads index.ts.
 */
export const BEFORE_CATALOG_WRITE: readonly BeforeCatalogWrite[] = [recordChange];
