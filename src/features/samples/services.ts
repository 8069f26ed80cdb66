import type { Kind } from "../../domain/catalog/catalog.ts";
import { type Generator, keysOf, pairAt, type Complete, times } from "./generator.ts";
import type { AuthoredAddon, AuthoredService } from "../../domain/catalog/file/services.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import type { AuthoredStaff } from "../../domain/catalog/file/staff.ts";

type Sections = Complete<
  Pick<AuthoredFile, "serviceCategories" | "addons" | "resources" | "staff" | "services">
>;

export function generateServices(generator: Generator, counts: Record<Kind, number>): Sections {
  const { random, words, uniqueName } = generator;
  const categories = times(counts.service_category, (i) => {
    const [{ name, ...family }, style] = pairAt(i, words.serviceFamilies, words.serviceStyles);
    return { ...uniqueName("service_category", style, name), ...family };
  });
  const addons = times(counts.addon, () => generateAddon(generator));
  const resources = times(counts.resource, () => ({
    ...uniqueName("resource", random.pick(words.resources), random.pick(words.resourcePlaces)),
    capacity: random.integer(1, 6),
  }));
  const staff = times(counts.staff, () => generatePerson(generator));
  const links = { categories, addons, resources: keysOf(resources), staff: keysOf(staff) };
  return {
    serviceCategories: categories.map(({ services: _, ...category }) => category),
    addons,
    resources,
    staff,
    services: times(counts.service, () => generateService(generator, links)),
  };
}

const generateAddon = ({ random, words, uniqueName, price }: Generator): AuthoredAddon => ({
  ...uniqueName("addon", random.pick(words.addons), random.pick(words.addonSizes)),
  price: price(5, 40),
  durationMin: random.pick([0, 5, 10, 15]),
  maxQuantity: random.pick([1, 1, 1, 2]),
});

function generatePerson({ random, words, uniqueName }: Generator): AuthoredStaff {
  const start = random.integer(8, 12);
  return {
    ...uniqueName("staff", random.pick(words.firstNames), random.pick(words.lastNames)),
    title: random.pick(words.titles),
    languages: random.sample(words.languages, 3),
    ...(random.chance(0.1) && { public: false }),
    ...(random.chance(0.6) && {
      hours: [
        {
          days: random.pick(["tue-fri", "wed-sat", "thu-sun"]),
          start: formatHour(start),
          end: formatHour(start + 8),
        },
      ],
      breaks: [{ start: formatHour(start + 4), end: `${formatHour(start + 4).slice(0, 3)}30` }],
    }),
  };
}

const formatHour = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

type Links = {
  categories: { key: string; services: string[] }[];
  addons: AuthoredAddon[];
  resources: string[];
  staff: string[];
};

function generateService(generator: Generator, links: Links): AuthoredService {
  const { random, words, uniqueName, price } = generator;
  const category = links.categories.length > 0 ? random.pick(links.categories) : undefined;
  const { services: serviceNames } = category ?? random.pick(words.serviceFamilies);
  const named = uniqueName(
    "service",
    random.pick(words.serviceStyles),
    random.pick(serviceNames),
    random.pick(words.serviceFor),
  );
  const durationMin = random.integer(2, 18) * 10;
  return {
    ...named,
    description: `${named.name}, ${durationMin} minutes with a consultation before and advice for at home after.`,
    ...(category && { category: category.key }),
    durationMin,
    price: price(25, 240),
    ...(random.chance(0.15) && { bufferAfterMin: 10 }),
    ...(random.chance(0.1) && { deposit: "20.00" }),
    ...(random.chance(0.05) && { status: "INACTIVE" as const }),
    resources: random.sample(links.resources, 1),
    staff: random.sample(links.staff, 4),
    tags: random.sample(["new", "popular", "quiet", "express", "gift"], 1),
    ...(random.chance(0.4) && { variants: generateVariants(generator, durationMin) }),
    ...(random.chance(0.4) && { addons: keysOf(random.sample(links.addons, 2)) }),
  };
}

const generateVariants = (
  { random, words, price }: Generator,
  durationMin: number,
): NonNullable<AuthoredService["variants"]> =>
  random.sample(words.variants, 3).map((name, index) => ({
    key: name.toLowerCase(),
    name,
    durationMin: durationMin + index * 10,
    price: price(40, 320),
    ...(index === 0 && { default: true }),
  }));
