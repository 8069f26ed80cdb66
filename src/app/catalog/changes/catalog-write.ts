import type { Catalog } from "../../../domain/catalog/catalog.ts";
import type { CatalogDiff } from "../../../domain/catalog/change/diff.ts";
import type {
  ChangeOrigin,
  LocalEdits,
  SectionEdits,
} from "../../../domain/catalog/change/local-edits.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Runtime } from "../../runtime.ts";

/**
 * A change of a catalog. A new business has no `row` (undefined) and no `stored` catalog (null).
 */
export type CatalogChange = {
  row: BusinessRow | undefined;
  stored: StoredCatalog | null;
  /** Local edits of objects and of sections before the change. */
  edits: LocalEdits;
  sectionEdits: SectionEdits;
  next: Catalog;
  origin: ChangeOrigin;
  diff: CatalogDiff;
};

/** A change with the versions before and after it. */
type CatalogWrite = CatalogChange & {
  businessId: string;
  fromVersion: number;
  version: number;
  /** The ID is null if the change has no entry in the audit log. */
  auditId: string | null;
};

/**
 * A function that runs in the transaction of a change, after the row of the business is written and
 * before its objects and local edits. An error rolls the transaction back.
 */
export type BeforeCatalogWrite = (rt: Runtime, write: CatalogWrite) => void;
