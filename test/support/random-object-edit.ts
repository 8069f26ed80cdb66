import type { Catalog, DocOf, Kind } from "../../src/domain/catalog/catalog.ts";
import { createRandomInt, type RandomInt } from "./random-edits.ts";

export const HOUR_MS = 3_600_000;

export type ObjectEditor = (doc: DocOf[Kind]) => DocOf[Kind];

/**
 * Returns an edit that sets a random field of an object to a random value, which may be invalid.
 */
export function randomEdit(seed: number, { objects }: Catalog): ObjectEditor {
  return (doc) => {
    const randomInt = createRandomInt(seed);
    const edited = structuredClone(doc) as unknown as Record<string, unknown>;
    const names = Object.keys(edited).filter((name) => name in VALUES);
    const name = names[randomInt(names.length)] ?? "name";
    const value = VALUES[name]?.(edited[name], randomInt, objects);
    return { ...edited, [name]: value } as unknown as DocOf[Kind];
  };
}

export const pick = <T>(list: readonly T[], randomInt: RandomInt): T =>
  list[randomInt(list.length)] as T;
const some = (docs: readonly { key: string }[], randomInt: RandomInt): string[] =>
  docs.map(({ key }) => key).filter(() => randomInt(4) === 0);
const toggled = (value: unknown): boolean => !(value as boolean);

type Value = (now: unknown, randomInt: RandomInt, objects: Catalog["objects"]) => unknown;

const VALUES: Record<string, Value> = {
  name: (_, randomInt) => (randomInt(9) === 0 ? "two\nlines" : `Name ${randomInt(99)}`),
  description: (_, randomInt) => `Text ${randomInt(99)}`,
  status: (now, randomInt) =>
    now === "ACTIVE"
      ? pick(["INACTIVE", "DRAFT"], randomInt)
      : pick(["ACTIVE", "PUBLISHED"], randomInt),
  priceCents: (_, randomInt) => randomInt(9000) - 90,
  durationMin: (_, randomInt) => randomInt(90),
  maxSelections: (_, randomInt) => randomInt(6),
  capacity: (_, randomInt) => randomInt(6),
  public: toggled,
  bookable: toggled,
  category: (_, randomInt, { service_category }) =>
    pick([null, "unknown", ...service_category.map(({ key }) => key)], randomInt),
  categories: (_, randomInt, { menu_category }) => some(menu_category, randomInt),
  parent: (_, randomInt, objects) =>
    pick([null, ...objects.service_category, ...objects.menu_category], randomInt)?.key ?? null,
  modifierGroups: (_, randomInt, { modifier_group }) => some(modifier_group, randomInt),
  staff: (_, randomInt, { staff }) => some(staff, randomInt),
  addons: (now, randomInt) => (now as unknown[]).filter(() => randomInt(2) === 0),
  variants: (now, randomInt) =>
    (now as object[]).map((variant) => ({ ...variant, priceCents: randomInt(9000) })),
  appliesTo: (now, randomInt, { service, menu_item }) => ({
    ...(now as object),
    all: false,
    services: some(service, randomInt),
    menuItems: some(menu_item, randomInt),
  }),
  schedule: (now, randomInt) => ({
    ...(now as object),
    startsAt: START + randomInt(20) * HOUR_MS,
    endsAt: START + (20 + randomInt(20)) * HOUR_MS,
  }),
  endsAt: (_, randomInt) => START + (1000 + randomInt(50)) * HOUR_MS,
  ticketTypes: (now, randomInt) =>
    (now as object[]).map((type) => ({
      ...type,
      status: pick(["ACTIVE", "INACTIVE"], randomInt),
      salesStartAt: START + randomInt(40) * HOUR_MS,
    })),
};

const START = Date.parse("2026-11-20T12:00:00Z");
