import { fc } from "./property.ts";
import type { AuthoredFile } from "../../src/domain/catalog/file/schema.ts";
import { readPartOfSample } from "./sample-catalog.ts";

type Item = {
  key: string;
  name: string;
  price?: string | undefined;
  status?: unknown;
  previousKeys?: string[] | undefined;
  slug?: string | undefined;
};

/**
 * A typical edit by an author. It changes one item of a section: the item at index `at`, modulo the
 * number of items.
 */
type Edit = {
  section: (typeof SECTIONS)[number];
  at: number;
  action: "drop" | "rename" | "reprice" | "hide" | "retitle" | "move" | "copy";
};

const SECTIONS = ["addons", "services", "items", "staff", "events"] as const;

const arbitraryEdit: fc.Arbitrary<Edit> = fc.record({
  section: fc.constantFrom(...SECTIONS),
  at: fc.nat(50),
  action: fc.constantFrom("drop", "rename", "reprice", "hide", "retitle", "move", "copy"),
});

/** A catalog, and a second one that is either an edit of it or unrelated. */
export const catalogPair: fc.Arbitrary<{ first: AuthoredFile; second: AuthoredFile }> = fc
  .record({
    seed: fc.nat(1000),
    other: fc.option(fc.nat(1000), { freq: 4 }),
    size: fc.integer({ min: 1, max: 40 }),
    edits: fc.array(arbitraryEdit, { maxLength: 12 }),
  })
  .map(({ seed, other, size, edits }) => {
    const first = readPartOfSample(size, seed);
    const second = readPartOfSample(size, other ?? seed);
    // Edits would break references, so the references are removed first.
    for (const file of [first, second]) removeReferences(file);
    for (const edit of edits) applyEdit(second, edit);
    removeDangling(second);
    return { first, second };
  });

function removeReferences(file: AuthoredFile): void {
  for (const service of file.services ?? []) Object.assign(service, { staff: [], addons: [] });
  delete file.promotions;
}

/** Removes the overrides of services that an edit has removed or renamed, from all staff members. */
function removeDangling({ services = [], staff = [] }: AuthoredFile): void {
  const keys = new Set(services.map(({ key }) => key));
  for (const person of staff)
    if (person.serviceOverrides !== undefined)
      person.serviceOverrides = person.serviceOverrides.filter(({ service }) => keys.has(service));
}

function applyEdit(file: AuthoredFile, { section, at, action }: Edit): void {
  const items = (section === "items" ? file.menu?.items : file[section]) as Item[] | undefined;
  const item = items?.[at % items.length];
  if (!items || !item) return;
  const index = items.indexOf(item);
  if (action === "drop") items.splice(index, 1);
  if (action === "rename")
    Object.assign(item, {
      key: `${item.key}-x`,
      previousKeys: [...(item.previousKeys ?? []), item.key],
    });
  if (action === "reprice" && item.price !== undefined) item.price = `${at}.25`;
  if (action === "hide") item.status = section === "events" ? "DRAFT" : "ARCHIVED";
  if (action === "retitle") item.name = `${item.name} # "new": yes`;
  if (action === "move") items.push(...items.splice(index, 1));
  const key = `copy-${items.length}-${at}`;
  if (action === "copy" && !items.some((one) => one.key === key))
    items.push({ ...structuredClone(item), key, previousKeys: undefined, slug: undefined });
}
