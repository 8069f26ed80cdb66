import { KNOWN_TITLES } from "./headings.ts";
import { type ClearedCells, type CsvPatch, patchCatalog } from "./patch.ts";
import type { CsvColumn, CsvTable } from "./format.ts";
import { type Catalog, emptyObjects, emptySchedule } from "../../domain/catalog/catalog.ts";
import type { MergedCatalog } from "../../domain/catalog/change/merge.ts";
import {
  type AuthoredBusiness,
  readBusiness,
  writeBusiness,
} from "../../domain/catalog/file/business.ts";
import {
  type ImportReport,
  type SkippedPart,
  summarizeSections,
  withoutEmpty,
} from "../../domain/catalog/import-report.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { countOf, quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { csvError, readCsvTable } from "./table.ts";
import { type CsvSource, type CsvText, decodeCsv } from "./decode.ts";
import {
  type ImportedBusiness,
  parseImportedBusiness,
} from "../../app/catalog/imported-business.ts";
import { loadCatalog } from "../../app/catalog/load-catalog.ts";
import type { Replacement } from "../../app/catalog/changes/replace-catalog.ts";

export type CsvReport = ImportReport & Omit<CsvText, "text"> & { cleared: ClearedCells[] };
export type ImportedFile = { yaml: string; report: CsvReport };

/** Converts a CSV table of services and dishes to the text of a catalog file. */
export const importCsv = (source: CsvSource, business: ImportedBusiness): ImportedFile =>
  convertCsv(source, parseImportedBusiness(business));

/** Converts a table to a catalog file that contains only the business and the table. */
export function convertCsv(source: CsvSource, business: AuthoredBusiness): ImportedFile {
  const catalog: Catalog = {
    business: readBusiness(business),
    schedule: emptySchedule(),
    objects: emptyObjects(),
  };
  const { patch, report } = readCsv(source, catalog, business, { isNew: true });
  const sections = withoutEmpty(patch.sections);
  const heading =
    "Imported from a CSV file. IDs are derived from the keys: keep the keys, so that a second import updates the same objects.";
  return {
    yaml: writeYaml({ catalog: 1, business, ...sections }, heading),
    report: { ...report, imported: [...summarizeSections(sections), ...report.imported] },
  };
}

/**
 * Plans a change of only the fields that the CSV table contains. `replaceCatalog` saves the change
 * as local edits, so that a later apply of an older file warns about them.
 */
export function planCsvImport(
  rt: Runtime,
  business: BusinessRow,
  source: CsvSource,
): { replacement: Replacement; report: CsvReport } {
  const stored = loadCatalog(rt, business);
  const { patch, report } = readCsv(source, stored.catalog, writeBusiness(business.doc), {
    isNew: false,
  });
  const { catalog } = patch.merged as MergedCatalog;
  return {
    replacement: {
      catalog,
      origin: "local",
      loaded: { business, stored },
      audited: { action: "catalog.applied", details: { files: [source.name] } },
    },
    report,
  };
}

/**
 * Reads a table, and returns the catalog with its changes and a report.
 * @param options `isNew`: whether the business does not exist yet; `catalog` then has no objects
 * @throws AppError invalid_input with all issues, each with its row and column
 */
function readCsv(
  source: CsvSource,
  catalog: Catalog,
  business: AuthoredBusiness,
  { isNew }: { isNew: boolean },
): { patch: CsvPatch; report: CsvReport } {
  const { text, encoding, encodingAssumed } = decodeCsv(source);
  const required: readonly CsvColumn[] = isNew ? ["type", "name"] : [];
  const table = readCsvTable(source.name, text, required);
  const patch = patchCatalog(table, catalog, business, { isNew });
  if (patch.issues.length > 0) throw csvError(source.name, patch.issues);
  const { newCategories, cleared } = patch;
  const imported =
    newCategories === 0
      ? []
      : [`${countOf(newCategories, "category")} created from the column 'category'`];
  return {
    patch,
    report: { imported, skipped: ignoredColumns(table), cleared, encoding, encodingAssumed },
  };
}

const ignoredColumns = ({ ignored }: CsvTable): SkippedPart[] =>
  ignored.map(({ position, title }) => ({
    part: title === "" ? `column ${position}` : `the column ${quote(title)}`,
    reason:
      title === ""
        ? "it has no title"
        : `deskbell has no such column.${didYouMean(title, KNOWN_TITLES)}`.replace(/\.$/, ""),
  }));
