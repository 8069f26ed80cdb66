import type { ExportedCatalog, FileFormat } from "../../app/catalog/export-catalog.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { shellQuote } from "../../domain/text.ts";
import { FEATURES } from "../../features/index.ts";
import type { Cli } from "../cli.ts";
import { choice } from "../flags.ts";
import { writeNewFile } from "../input/new-file.ts";

/** A file format that a feature adds to `catalog export`. */
export type CatalogFormat = {
  name: string;
  /** What a file in this format contains. */
  about: string;
  /** The subcommand of `catalog` that reads a file in this format. */
  next: string;
  load: () => Promise<{ writeCatalog: (catalog: Catalog) => ExportedCatalog }>;
};

const FILE_FORMATS: readonly FileFormat[] = ["yaml", "json"];

const addedFormats = (): CatalogFormat[] => FEATURES.flatMap(({ formats = [] }) => formats);

export const formatFlag = choice(
  [...FILE_FORMATS, ...addedFormats().map(({ name }) => name)],
  ["file format", ...addedFormats().map(({ name, about }) => `${name} ${about}`)].join("; ") +
    " (default yaml)",
);

/** Writes a catalog to a new file, or to stdout if `out` is -. */
export async function printCatalogFile(
  cli: Cli,
  catalog: Catalog,
  { out = "-", format = "yaml" }: { out: string | undefined; format: string | undefined },
): Promise<void> {
  const added = addedFormats().find(({ name }) => name === format);
  const { content, skipped } = await writeAs(catalog, format as FileFormat, added);
  if (out !== "-") writeNewFile(out, content);
  if (cli.flags.json)
    cli.printObject({ format, skipped, ...(out === "-" ? { content } : { file: out }) });
  else if (out === "-") cli.printContent(content);
  if (skipped.length > 0)
    cli.note(
      `Left out, because ${format.toUpperCase()} cannot contain them: ${skipped.join(", ")}.`,
    );
  if (out !== "-")
    cli.note(`next: ${cli.program} catalog ${added?.next ?? "diff"} ${shellQuote(out)}`);
}

async function writeAs(
  catalog: Catalog,
  format: FileFormat,
  added: CatalogFormat | undefined,
): Promise<ExportedCatalog> {
  if (added !== undefined) return (await added.load()).writeCatalog(catalog);
  const { writeCatalogText } = await import("../../app/catalog/export-catalog.ts");
  return writeCatalogText(catalog, format);
}
