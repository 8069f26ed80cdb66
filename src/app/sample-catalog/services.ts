import type { Kind } from "../../domain/catalog/catalog.ts";
import { type Generator, keysOf, type Present, times } from "./generator.ts";
import {
  ADDON_SIZES,
  ADDONS,
  FIRST_NAMES,
  LANGUAGES,
  LAST_NAMES,
  RESOURCE_PLACES,
  RESOURCES,
  SERVICE_FAMILIES,
  SERVICE_FOR,
  SERVICE_STYLES,
  TITLES,
  VARIANTS,
} from "./words.ts";
import type {
  AuthoredAddon,
  AuthoredFile,
  AuthoredService,
  AuthoredServiceCategory,
  AuthoredStaff,
} from "../../domain/catalog/file/schema.ts";

type Sections = Present<
  Pick<AuthoredFile, "serviceCategories" | "addons" | "resources" | "staff" | "services">
>;

export function generateServices(generator: Generator, counts: Record<Kind, number>): Sections {
  const { dice, call } = generator;
  const categories = times(counts.service_category, (i) => generateCategory(generator, i));
  const addons = times(counts.addon, () => generateAddon(generator));
  const resources = times(counts.resource, () => ({
    ...call("resource", dice.pick(RESOURCES), dice.pick(RESOURCE_PLACES)),
    capacity: dice.whole(1, 6),
  }));
  const staff = times(counts.staff, () => generatePerson(generator));
  const links = { categories, addons, resources: keysOf(resources), staff: keysOf(staff) };
  return {
    serviceCategories: categories.map(({ category }) => category),
    addons,
    resources,
    staff,
    services: times(counts.service, () => generateService(generator, links)),
  };
}

type Family = (typeof SERVICE_FAMILIES)[number];
type FamilyCategory = { category: AuthoredServiceCategory; family: Family };

function generateCategory({ call }: Generator, index: number): FamilyCategory {
  const family = SERVICE_FAMILIES[index % SERVICE_FAMILIES.length] as Family;
  const round =
    SERVICE_STYLES[Math.floor(index / SERVICE_FAMILIES.length) % SERVICE_STYLES.length] ?? "";
  return {
    category: { ...call("service_category", round, family.name), color: family.color },
    family,
  };
}

const generateAddon = ({ dice, call, price }: Generator): AuthoredAddon => ({
  ...call("addon", dice.pick(ADDONS), dice.pick(ADDON_SIZES)),
  price: price(5, 40),
  durationMin: dice.pick([0, 5, 10, 15]),
  maxQuantity: dice.pick([1, 1, 1, 2]),
});

function generatePerson({ dice, call }: Generator): AuthoredStaff {
  const start = dice.whole(8, 12);
  return {
    ...call("staff", dice.pick(FIRST_NAMES), dice.pick(LAST_NAMES)),
    title: dice.pick(TITLES),
    languages: dice.some(LANGUAGES, 3),
    ...(dice.chance(0.1) && { public: false }),
    ...(dice.chance(0.6) && {
      hours: [
        {
          days: dice.pick(["tue-fri", "wed-sat", "thu-sun"]),
          start: clock(start),
          end: clock(start + 8),
        },
      ],
      breaks: [{ start: clock(start + 4), end: `${clock(start + 4).slice(0, 3)}30` }],
    }),
  };
}

const clock = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

type Links = {
  categories: FamilyCategory[];
  addons: AuthoredAddon[];
  resources: string[];
  staff: string[];
};

function generateService(generator: Generator, links: Links): AuthoredService {
  const { dice, call, price } = generator;
  const chosen = links.categories.length > 0 ? dice.pick(links.categories) : undefined;
  const { services } = chosen?.family ?? dice.pick(SERVICE_FAMILIES);
  const naming = call(
    "service",
    dice.pick(SERVICE_STYLES),
    dice.pick(services),
    dice.pick(SERVICE_FOR),
  );
  const durationMin = dice.whole(2, 18) * 10;
  return {
    ...naming,
    description: `${naming.name}, ${durationMin} minutes with a consultation before and advice for at home after.`,
    ...(chosen && { category: chosen.category.key }),
    durationMin,
    price: price(25, 240),
    ...(dice.chance(0.15) && { bufferAfterMin: 10 }),
    ...(dice.chance(0.1) && { deposit: "20.00" }),
    ...(dice.chance(0.05) && { status: "INACTIVE" as const }),
    resources: dice.some(links.resources, 1),
    staff: dice.some(links.staff, 4),
    tags: dice.some(["new", "popular", "quiet", "express", "gift"], 1),
    ...(dice.chance(0.4) && { variants: generateVariants(generator, durationMin) }),
    ...(dice.chance(0.4) && { addons: keysOf(dice.some(links.addons, 2)) }),
  };
}

const generateVariants = (
  { dice, price }: Generator,
  durationMin: number,
): NonNullable<AuthoredService["variants"]> =>
  dice.some(VARIANTS, 3).map((name, index) => ({
    key: name.toLowerCase(),
    name,
    durationMin: durationMin + index * 10,
    price: price(40, 320),
    ...(index === 0 && { default: true }),
  }));
