import type { Catalog } from "../../domain/catalog/catalog.ts";
import { writeCsv } from "../../domain/catalog/csv/export.ts";
import { exportCatalog } from "../../domain/catalog/file/export.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

export type ExportFormat = "yaml" | "json" | "csv";

/** `skipped`: kinds that the format cannot represent. */
export type ExportedCatalog = { content: string; skipped: string[] };

export const exportCatalogText = (
  rt: Runtime,
  { id, doc: business, schedule }: BusinessRow,
  format: ExportFormat,
): ExportedCatalog =>
  writeCatalogText({ business, schedule, objects: rt.store.catalog.listObjects(id) }, format);

export function writeCatalogText(catalog: Catalog, format: ExportFormat): ExportedCatalog {
  if (format === "csv") return writeCsv(catalog);
  const { business } = catalog;
  const file = exportCatalog(catalog);
  const heading = `The catalog of ${business.name}. Edit it, preview the changes with deskbell catalog diff, and apply them
with deskbell catalog apply. With --prune, an empty list deletes all objects of its section.`;
  const content =
    format === "json" ? `${JSON.stringify(file, null, 2)}\n` : writeYaml(file, heading);
  return { content, skipped: [] };
}
