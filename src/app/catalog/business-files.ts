import { dirname } from "node:path";
import { describesBusiness, slugIn } from "../../domain/catalog/validate.ts";
import type { CatalogFile } from "../../domain/catalog/source/catalog-source.ts";

/**
 * Returns the files of each business. A file that does not describe a business belongs to the only
 * business in its folder; without one, it is a group of its own.
 */
export function groupByBusiness(files: readonly CatalogFile[]): CatalogFile[][] {
  if (ownersIn(files).length <= 1) return [[...files]];
  const folders = Map.groupBy(files, ({ name }) => dirname(name));
  const ownersByFolder = new Map(
    [...folders].map(([folder, inside]) => [folder, ownersIn(inside)]),
  );
  const groups = Map.groupBy(files, (file) => {
    const [owner = file.name, ...others] = ownersByFolder.get(dirname(file.name)) ?? [];
    return ownerOf(file) ?? (others.length === 0 ? owner : file.name);
  });
  return [...groups.values()];
}

const ownersIn = (files: readonly CatalogFile[]): string[] => [
  ...new Set(files.map(ownerOf).filter((owner) => owner !== undefined)),
];

/** The slug, or the file's name if the business has none, which is reported later. */
function ownerOf({ name, content }: CatalogFile): string | undefined {
  return describesBusiness(content) ? (slugIn(content) ?? name) : undefined;
}
