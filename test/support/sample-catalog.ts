import { type Preset, readPreset } from "../../src/platform/assets.ts";
import type { AuthoredFile } from "../../src/domain/catalog/file/schema.ts";
import { lazy } from "../../src/domain/lazy.ts";
import { parseSource } from "../../src/domain/catalog/source/catalog-source.ts";
import { createSeededRandom } from "../../src/domain/seeded-random.ts";

type Promotion = NonNullable<AuthoredFile["promotions"]>[number];

const read = (preset: Preset): AuthoredFile =>
  parseSource({ name: preset, text: readPreset(preset) }).content as AuthoredFile;

/**
 * Returns a business with objects of all kinds: the services of the sample salon, the menu and
 * tables of the restaurant and the events of the venue. Its events have a `startsIn`.
 */
export const readSampleCatalog = (): AuthoredFile => structuredClone(combined());

const combined = lazy((): AuthoredFile => {
  const [salon, restaurant, venue] = [read("salon"), read("restaurant"), read("venue")];
  const { areas, tables, turnTimes, menu } = restaurant;
  return {
    ...salon,
    business: {
      slug: "linden",
      name: "Linden",
      timezone: "Europe/Zurich",
      currency: "CHF",
      locale: "en",
      locales: ["en", "es", "de", "fr", "ja"],
    },
    ...(areas && { areas }),
    ...(tables && { tables }),
    ...(turnTimes && { turnTimes }),
    ...(menu && { menu }),
    events: venue.events ?? [],
    promotions: [...(salon.promotions ?? []), ...(restaurant.promotions ?? [])],
  };
});

/**
 * Returns a part of the sample catalog with about `size` objects and those that they refer to;
 * always the same for the same seed.
 */
export function readPartOfSample(size: number, seed: number): AuthoredFile {
  const random = createSeededRandom(seed);
  const file = readSampleCatalog();
  const { services = [], addons = [], staff = [], tables = [], events = [], menu = {} } = file;
  const all = [services, addons, staff, tables, events, menu.items ?? []];
  const share = size / all.reduce((sum, list) => sum + list.length, 0);
  const some = <Item>(list: readonly Item[]): Item[] =>
    random.sample(list, Math.max(1, Math.round(share * list.length)));
  return withoutMissing(
    withoutUnused({
      ...file,
      services: some(services),
      addons: some(addons),
      staff: some(staff),
      tables: some(tables),
      events: some(events),
      menu: { ...menu, items: some(menu.items ?? []) },
    }),
  );
}

type Keyed = { key: string; parent?: string | undefined };

function withoutUnused(file: AuthoredFile): AuthoredFile {
  const { services, tables, menu = {} } = file;
  const users = JSON.stringify([services, tables, menu.items]);
  const used = <Item extends Keyed>(list: readonly Item[] = []): Item[] => {
    const isUsed = ({ key }: Item) => users.includes(`"${key}"`);
    return list.filter(
      (item) => isUsed(item) || list.some((child) => child.parent === item.key && isUsed(child)),
    );
  };
  return {
    ...file,
    serviceCategories: used(file.serviceCategories),
    resources: used(file.resources),
    areas: used(file.areas),
    menu: {
      ...menu,
      categories: used(menu.categories),
      modifierGroups: used(menu.modifierGroups),
    },
  };
}

function withoutMissing(file: AuthoredFile): AuthoredFile {
  const keysOf = (list: readonly { key: string }[] = []) => new Set(list.map(({ key }) => key));
  const [services, staff, addons] = [
    keysOf(file.services),
    keysOf(file.staff),
    keysOf(file.addons),
  ];
  const targets = new Set([
    ...services,
    ...keysOf(file.serviceCategories),
    ...keysOf(file.menu?.items),
  ]);
  const inStaff = (names: string[] | undefined) => names?.filter((name) => staff.has(name));
  for (const service of file.services ?? []) {
    Object.assign(service, {
      staff: inStaff(service.staff) ?? [],
      addons:
        service.addons?.filter((link) =>
          addons.has(typeof link === "string" ? link : link.addon),
        ) ?? [],
    });
    for (const variant of service.variants ?? []) delete variant.staff;
  }
  for (const person of file.staff ?? [])
    if (person.serviceOverrides !== undefined)
      person.serviceOverrides = person.serviceOverrides.filter(({ service }) =>
        services.has(service),
      );
  const isComplete = ({ appliesTo = {}, benefit }: Promotion): boolean =>
    [appliesTo.services, appliesTo.serviceCategories, appliesTo.menuItems]
      .flatMap((keys) => keys ?? [])
      .every((key) => targets.has(key)) &&
    (benefit?.addon === undefined || addons.has(benefit.addon));
  return { ...file, promotions: (file.promotions ?? []).filter(isComplete) };
}
