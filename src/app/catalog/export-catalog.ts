import type { Catalog } from "../../domain/catalog/catalog.ts";
import { exportCatalog } from "../../domain/catalog/file/sections.ts";
import { writeYaml } from "../../domain/catalog/yaml.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

/** The formats that the core writes. Features have their own exporters. */
export type FileFormat = "yaml" | "json";

/** `skipped` lists the kinds of objects that the format cannot represent. */
export type ExportedCatalog = { content: string; skipped: string[] };

export const readStoredCatalog = (
  rt: Runtime,
  { id, doc: business, schedule }: BusinessRow,
): Catalog => ({ business, schedule, objects: rt.store.catalog.listObjects(id) });

export function writeCatalogText(catalog: Catalog, format: FileFormat): ExportedCatalog {
  const { business } = catalog;
  const file = exportCatalog(catalog);
  const heading = `The catalog of ${business.name}. Edit it, preview the changes with deskbell catalog diff, and apply them
with deskbell catalog apply. With --prune, an empty list deletes all objects of its section.`;
  const content =
    format === "json" ? `${JSON.stringify(file, null, 2)}\n` : writeYaml(file, heading);
  return { content, skipped: [] };
}
