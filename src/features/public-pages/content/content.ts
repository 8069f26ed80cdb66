import type { CatalogView } from "../../../app/catalog/catalog-view.ts";
import type { PublicPageDoc } from "../../../domain/catalog/catalog.ts";
import { toPublicProfile, type PublicProfile } from "../../../domain/public/profile.ts";
import { createPublicForms } from "../../../domain/public/public-catalog.ts";
import { createPublicContext, localise } from "../../../domain/public/public-context.ts";
import type {
  PublicMenuCategory,
  PublicMenuItem,
  PublicModifierGroup,
} from "../../../domain/public/menu.ts";
import type { PublicEvent } from "../../../domain/public/public-event.ts";
import type { PublicPromotion } from "../../../domain/public/promotion.ts";
import type {
  PublicService,
  PublicServiceCategory,
  PublicStaff,
} from "../../../domain/public/service.ts";
import type { PageLanguage } from "../../../pages/languages.ts";
import { type Format, formatOf } from "../format.ts";
import {
  divideIntoPages,
  type Entry,
  groupByCategory,
  isLongHeading,
  lengthOf,
  MAX_OPTION_GROUPS,
  MAX_PARTS,
  weigh,
  type Weighed,
  weighHeading,
  weighOptions,
  weighTexts,
} from "../layout.ts";
import {
  listSpecialDays,
  type OpeningState,
  readOpeningState,
  type SpecialDays,
} from "./opening.ts";
import { type PageTexts, textsOf } from "../texts.ts";

// A page shows the objects of the API, with their texts in one language.

/** The language of a page's fixed texts, and the locale of its texts from the catalog. */
export type Variant = {
  language: PageLanguage;
  locale: string;
  /** Whether the reader chose the language, in the URL or when booking, so that links keep it. */
  isChosen: boolean;
};

/** What all pages of a business need to know about the business. */
export type Shop = Variant & {
  profile: PublicProfile;
  texts: PageTexts;
  format: Format;
  theme: PublicPageDoc["theme"];
  opening: OpeningState;
  specialDays: SpecialDays[];
  /** The language of the catalog's texts; undefined if it is that of the fixed texts. */
  otherLanguage: string | undefined;
  /** The path of the business's page. */
  path: string;
  /** The URL of the server without a trailing slash; empty if it is not known. */
  origin: string;
  now: number;
  /** The path of the page on which guests book; null if they cannot. */
  bookUrl: string | null;
  /** Whether guests can reserve tables. */
  hasTables: boolean;
  counts: { services: number; dishes: number; events: number };
};

export type Contents = readonly { id: string; name: string; page: number }[];

/** A part of a list, which one page shows. */
export type Listing<Item, Group> = {
  sections: { group: Group | null; items: Item[] }[];
  /**
   * The categories of the whole list, each with its first page; empty if the list has only one
   * page, or too many categories.
   */
  contents: Contents;
  /** How many objects the whole list has. */
  total: number;
  page: number;
  pages: number;
};

/**
 * The part of a list to show: one of its pages, or its first objects. `maxCount` limits the number
 * of these objects, and `maxWeight` the approximate number of their characters on the page
 * (`weigh`).
 */
export type ListPart = { page: number } | { maxCount: number; maxWeight: number };

export type Services = Listing<PublicService, PublicServiceCategory>;
export type Dishes = Listing<PublicMenuItem, PublicMenuCategory> & {
  modifierGroups: ReadonlyMap<string, PublicModifierGroup>;
};
export type Events = Listing<PublicEvent, null>;

const NO_VERSION = { version: 0, updatedAt: 0 };

/** Returns a view without versions of objects: a page does not need them, and each is a query. */
export function withoutVersions(view: CatalogView): CatalogView {
  const stored = { ...view.stored, versionOf: () => NO_VERSION };
  const context = createPublicContext(stored, view.context.now);
  return { ...view, stored, context, forms: createPublicForms(context) };
}

export function readShop(
  view: CatalogView,
  variant: Variant,
  { path, origin, hasTables, bookUrl }: Pick<Shop, "path" | "origin" | "hasTables" | "bookUrl">,
): Shop {
  const { stored, context } = view;
  const { business, schedule } = stored.catalog;
  const { timezone } = business;
  return {
    ...variant,
    otherLanguage: otherLanguage(variant),
    path,
    origin,
    hasTables,
    bookUrl,
    now: context.now,
    profile: toPublicProfile(stored),
    theme: business.publicPage.theme,
    texts: textsOf(variant.language),
    format: formatOf(business, variant.language),
    opening: readOpeningState(schedule, timezone, context.now),
    specialDays: listSpecialDays(schedule, timezone, context.now),
    counts: {
      services: context.visible("service").length,
      dishes: context.visible("menu_item").length,
      events: listUpcoming(view).length,
    },
  };
}

/**
 * Returns one part of the list of services; null if the list has no such page.
 * @param options `onlyBookable` leaves out services that guests cannot book online
 */
export function readServices(
  view: CatalogView,
  { locale }: Variant,
  part: ListPart,
  { onlyBookable = false }: { onlyBookable?: boolean } = {},
): Services | null {
  const { docs } = view.select("service", {
    matches: ({ bookable }) => bookable || !onlyBookable,
  });
  const categories = view.select("service_category", {}).docs;
  const entries = groupByCategory(docs, categories, ({ category }) =>
    category === null ? [] : [category],
  );
  const addonWeights = new Map(view.context.visible("addon").map((doc) => [doc.key, weigh(doc)]));
  return toListing(entries, docs.length, part, {
    weigh: (doc) =>
      weigh(doc) +
      sum(doc.addons.slice(0, MAX_PARTS).map(({ addon }) => addonWeights.get(addon) ?? 0)),
    toItem: (doc) => localise(view.forms.services(doc), locale),
    toGroup: (doc) => localise(view.forms.serviceCategories(doc), locale),
  });
}

export function readDishes(view: CatalogView, { locale }: Variant, part: ListPart): Dishes | null {
  const { docs } = view.select("menu_item", {});
  const categories = view.select("menu_category", {}).docs;
  const entries = groupByCategory(docs, categories, (doc) => doc.categories);
  const optionWeights = new Map(
    view.context.visible("modifier_group").map((doc) => [doc.key, weighOptions(doc)]),
  );
  const listing = toListing(entries, docs.length, part, {
    weigh: (doc) =>
      weigh(doc) +
      weighTexts(doc.dietary) +
      sum(doc.modifierGroups.slice(0, MAX_OPTION_GROUPS).map((key) => optionWeights.get(key) ?? 0)),
    toItem: (doc) => localise(view.forms.menuItems(doc), locale),
    toGroup: (doc) => localise(view.forms.menuCategories(doc), locale),
  });
  if (listing === null) return null;
  const shown = new Set(
    listing.sections.flatMap(({ items }) => items.flatMap((item) => item.modifierGroupIds)),
  );
  const groups = [...shown].flatMap((id) => {
    const doc = view.context.findVisibleById("modifier_group", id);
    return doc ? [[id, localise(view.forms.modifierGroups(doc), locale)] as const] : [];
  });
  return { ...listing, modifierGroups: new Map(groups) };
}

const MAX_STAFF = 60;
/**
 * The total weight (`weigh`) above which further staff members are shown without their biographies.
 */
const MAX_STAFF_WEIGHT = 20_000;

/**
 * Returns the first `MAX_STAFF` staff members. If their total weight exceeds `MAX_STAFF_WEIGHT`,
 * the last of them have no biography.
 */
export function readStaff(view: CatalogView, { locale }: Variant): PublicStaff[] {
  let weight = 0;
  return view.select("staff", { limit: MAX_STAFF }).docs.map((doc) => {
    weight += weigh({ ...doc, description: doc.bio });
    const person = localise(view.forms.staff(doc), locale);
    return weight > MAX_STAFF_WEIGHT ? { ...person, bio: null } : person;
  });
}

const MAX_PROMOTIONS = 20;
const MAX_PROMOTIONS_WEIGHT = 10_000;

/** Returns the first promotions that apply now. */
export function readPromotions(view: CatalogView, { locale }: Variant): PublicPromotion[] {
  const { now } = view.context;
  const { docs } = view.select("promotion", {
    limit: MAX_PROMOTIONS,
    matches: ({ schedule: { startsAt, endsAt } }) =>
      (startsAt === null || startsAt <= now) && (endsAt === null || now < endsAt),
  });
  const [shown = []] = divideIntoPages(docs, weigh, MAX_PROMOTIONS_WEIGHT);
  return shown.map((doc) => localise(view.forms.promotions(doc), locale));
}

/** Returns the public events that are not over, in the order of their starts. */
const listUpcoming = (view: CatalogView) =>
  view
    .select("public_event", { matches: ({ endsAt }) => view.context.now < endsAt })
    .docs.sort((a, b) => a.startsAt - b.startsAt);

export function readEvents(view: CatalogView, { locale }: Variant, part: ListPart): Events | null {
  const docs = listUpcoming(view);
  const entries = docs.map((doc) => ({ doc, group: null }));
  return toListing(entries, docs.length, part, {
    weigh: (doc) => weigh(doc) + weighTexts([doc.venue?.name, doc.venue?.address]),
    toItem: (doc) => localise(view.forms.events(doc), locale),
    // Events have no categories, so this function is never called.
    toGroup: (group: never) => group,
  });
}

/** Returns the public event with a slug, even if it is over. */
export function readEvent(
  view: CatalogView,
  { locale }: Variant,
  slug: string,
): PublicEvent | null {
  const [doc] = view.select("public_event", { matches: (one) => one.slug === slug }).docs;
  return doc === undefined ? null : localise(view.forms.events(doc), locale);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The most categories to which a page of a list links. */
const MAX_CONTENTS = 100;
/** The most characters that the names of these categories may have together. */
const MAX_CONTENTS_WEIGHT = 10_000;

type PublicGroup = { id: string; name: string; description: string | null };

/** How a list weighs its documents, and writes documents and categories in their public form. */
type Forms<Doc, Group, Item, Public> = {
  weigh: (doc: Doc) => number;
  toItem: (doc: Doc) => Item;
  toGroup: (group: Group) => Public;
};

/** Returns a part of a list; null for a page that the list does not have. */
function toListing<Doc, Group extends Weighed, Item, Public extends PublicGroup>(
  entries: readonly Entry<Doc, Group>[],
  total: number,
  part: ListPart,
  forms: Forms<Doc, Group, Item, Public>,
): Listing<Item, Public> | null {
  const isPage = "page" in part;
  const weighed = entries
    .slice(0, isPage ? undefined : part.maxCount)
    .map(({ doc, group }, i, limited) => ({
      doc,
      group,
      // The first entry of a category has the weight of its heading, too.
      weight:
        forms.weigh(doc) +
        (group === null || group === limited[i - 1]?.group ? 0 : weighHeading(group)),
    }));
  const pages = divideIntoPages(
    weighed,
    ({ weight }) => weight,
    isPage ? undefined : part.maxWeight,
    isPage ? undefined : part.maxCount,
  );
  const page = isPage ? part.page : 1;
  const listed = pages[page - 1];
  if (listed === undefined) return null;
  // An object that is too long for the first page of a business is alone in its part of the list,
  // and is left out.
  const isTooLong = !isPage && listed.some(({ weight }) => weight > part.maxWeight);
  const shown = isTooLong ? [] : listed;
  const sections: Listing<Item, Public>["sections"] = [];
  let lastGroup: Group | null | undefined;
  for (const { doc, group } of shown) {
    if (group !== lastGroup || sections.length === 0)
      sections.push({ group: group === null ? null : toHeading(group, forms), items: [] });
    lastGroup = group;
    sections.at(-1)?.items.push(forms.toItem(doc));
  }
  const contents = pages.length > 1 && isPage ? listContents(pages, forms) : [];
  return { sections, contents, total, page, pages: isPage ? pages.length : 1 };
}

/** Returns a category. A description that would take too much of a page is left out. */
function toHeading<Group extends Weighed, Public extends PublicGroup>(
  group: Group,
  { toGroup }: Pick<Forms<never, Group, never, Public>, "toGroup">,
): Public {
  const heading = toGroup(group);
  return isLongHeading(group) ? { ...heading, description: null } : heading;
}

/** Returns the categories of all pages; none if they would take too much of each page. */
function listContents<Group extends Weighed>(
  pages: readonly (readonly { group: Group | null }[])[],
  { toGroup }: Pick<Forms<never, Group, never, PublicGroup>, "toGroup">,
): Contents {
  const firstPages = new Map<Group, number>();
  for (const [i, entries] of pages.entries())
    for (const { group } of entries)
      if (group !== null && !firstPages.has(group)) firstPages.set(group, i + 1);
  if (firstPages.size > MAX_CONTENTS) return [];
  const contents = [...firstPages].map(([group, page]) => {
    const { id, name } = toGroup(group);
    return { id, name, page };
  });
  const weight = sum(contents.map(({ name }) => lengthOf(name)));
  return weight > MAX_CONTENTS_WEIGHT ? [] : contents;
}

/** Returns the language of the catalog's texts; undefined if it is that of the fixed texts. */
const otherLanguage = ({ language, locale }: Variant): string | undefined =>
  locale.toLowerCase().split("-", 1)[0] === language ? undefined : locale;
