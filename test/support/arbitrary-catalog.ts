import fc from "fast-check";
import { generateCatalog } from "../../src/app/sample-catalog/generate.ts";
import type { AuthoredFile } from "../../src/domain/catalog/file/schema.ts";

type Item = {
  key: string;
  name: string;
  price?: string | undefined;
  status?: unknown;
  previousKeys?: string[] | undefined;
};

/** An edit as authors make them, of the section's item at that place. */
type Edit = {
  section: (typeof SECTIONS)[number];
  at: number;
  what: "drop" | "rename" | "reprice" | "hide" | "retitle" | "move" | "copy";
};

const SECTIONS = ["addons", "services", "items", "staff", "events"] as const;

const edit: fc.Arbitrary<Edit> = fc.record({
  section: fc.constantFrom(...SECTIONS),
  at: fc.nat(50),
  what: fc.constantFrom("drop", "rename", "reprice", "hide", "retitle", "move", "copy"),
});

/** Another business's catalog is of no use here: all are those of one slug. */
const asOneBusiness = (file: AuthoredFile): AuthoredFile => ({
  ...file,
  business: { slug: "linden", name: "Linden", timezone: "Europe/Zurich", currency: "CHF" },
});

/** A generated catalog and another that was made of it, or has nothing to do with it. */
export const catalogPair: fc.Arbitrary<{ first: AuthoredFile; second: AuthoredFile }> = fc
  .record({
    seed: fc.nat(1000),
    other: fc.option(fc.nat(1000), { freq: 4 }),
    size: fc.integer({ min: 1, max: 80 }),
    edits: fc.array(edit, { maxLength: 12 }),
  })
  .map(({ seed, other, size, edits }) => {
    const first = asOneBusiness(generateCatalog(size, seed));
    const second = structuredClone(
      other === null ? first : asOneBusiness(generateCatalog(size, other)),
    );
    // References would break with what they refer to: what is edited refers to nothing and is referred to by nothing.
    for (const file of [first, second]) cutReferences(file);
    for (const one of edits) make(second, one);
    return { first, second };
  });

function cutReferences(file: AuthoredFile): void {
  for (const service of file.services ?? []) Object.assign(service, { staff: [], addons: [] });
  delete file.promotions;
}

function make(file: AuthoredFile, { section, at, what }: Edit): void {
  const items = (section === "items" ? file.menu?.items : file[section]) as Item[] | undefined;
  const item = items?.[at % items.length];
  if (!items || !item) return;
  const index = items.indexOf(item);
  if (what === "drop") items.splice(index, 1);
  if (what === "rename")
    Object.assign(item, {
      key: `${item.key}-x`,
      previousKeys: [...(item.previousKeys ?? []), item.key],
    });
  if (what === "reprice" && item.price !== undefined) item.price = `${at}.25`;
  if (what === "hide") item.status = section === "events" ? "DRAFT" : "ARCHIVED";
  if (what === "retitle") item.name = `${item.name} # "new": yes`;
  if (what === "move") items.push(...items.splice(index, 1));
  if (what === "copy")
    items.push({
      ...structuredClone(item),
      key: `copy-${items.length}-${at}`,
      previousKeys: undefined,
    });
}
