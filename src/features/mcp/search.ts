import type { CatalogView } from "../../app/catalog/catalog-view.ts";
import type { DocOf } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { statusAt } from "../../domain/public/public-event.ts";
import { memoized } from "../../domain/lazy.ts";
import { localise, type PublicContext } from "../../domain/public/public-context.ts";
import {
  decodeCursor,
  encodeCursor,
  type CursorPosition,
  isAfter,
} from "../../http/pipeline/business-response.ts";
import { ResultPage } from "./fit.ts";
import { createForms, toEvent } from "./forms.ts";

// Searches the objects of a catalog for the words that an agent has sent.

/** The kinds of objects that agents search for, in the order of results, with their ID prefixes. */
const PREFIXES = { service: "svc", dish: "mit", staff: "stf", promotion: "prm" } as const;
export type SearchKind = keyof typeof PREFIXES;
export const SEARCH_KINDS = Object.keys(PREFIXES) as SearchKind[];

export type Search = {
  words: string;
  kinds: readonly SearchKind[];
  dietary: string | undefined;
  maxPriceCents: number | undefined;
  limit: number;
  cursor: string | undefined;
  locale: string;
  /** Whether results have a name, an ID and a price only. */
  isBrief?: true;
};

export type Found = { objects: Record<string, unknown>[]; nextCursor: string | null };

type Doc = DocOf["service" | "menu_item" | "staff" | "promotion" | "public_event"];

/** Returns text without case and accents, so that `creme` finds `Crème`. */
const fold = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Returns a function that tells whether an object has all words of a search in its texts or categories. */
function createMatcher(words: string, context: PublicContext): (doc: Doc) => boolean {
  const wanted = fold(words).split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return () => true;
  const serviceCategoryName = memoized((key: string) =>
    fold(context.findVisible("service_category", key)?.name ?? ""),
  );
  const menuCategoryName = memoized((key: string) =>
    fold(context.findVisible("menu_category", key)?.name ?? ""),
  );
  const categoriesOf = (doc: Doc): string => {
    if ("categories" in doc) return doc.categories.map(menuCategoryName).join(" ");
    return "category" in doc && doc.category !== null ? serviceCategoryName(doc.category) : "";
  };
  return (doc) => {
    const text = ownText(doc);
    return wanted.every((word) => text.includes(word) || categoriesOf(doc).includes(word));
  };
}

/** How many characters of a long text are searched: a search of a large catalog must stay fast. */
const MAX_TEXT = 400;

/** The folded texts of objects, kept because folding takes most of the time of a search. */
const ownTexts = new WeakMap<Doc, string>();

function ownText(doc: Doc): string {
  const known = ownTexts.get(doc);
  if (known !== undefined) return known;
  const long = "bio" in doc ? doc.bio : doc.description;
  const text = fold(
    [
      doc.name,
      ...Object.values(doc.translations).map((texts) => texts?.name ?? ""),
      ...("title" in doc ? [doc.title ?? ""] : []),
      ...("tags" in doc ? doc.tags : []),
      ...("dietary" in doc ? doc.dietary : []),
      long?.slice(0, MAX_TEXT) ?? "",
    ].join(" "),
  );
  ownTexts.set(doc, text);
  return text;
}

const CATALOG_CURSOR = "search_catalog";

/** Returns the services, dishes, people and promotions that match, in the order of the catalog. */
export function searchCatalog(view: CatalogView, search: Search): Found {
  const after =
    search.cursor === undefined ? undefined : decodeCursor(CATALOG_CURSOR, search.cursor);
  // A cursor has the ID of the last object before the page. The prefix of the ID tells the kind of
  // the object, and the kinds before this kind have been listed.
  const kindOfCursor = SEARCH_KINDS.find((kind) => PREFIXES[kind] === after?.id.slice(0, 3));
  const kinds = SEARCH_KINDS.slice(
    kindOfCursor === undefined ? 0 : SEARCH_KINDS.indexOf(kindOfCursor),
  ).filter((kind) => search.kinds.includes(kind));
  const page = new ResultPage(search.limit);
  let last: CursorPosition | undefined;
  for (const kind of kinds)
    for (const object of selectKind(
      view,
      kind,
      search,
      kind === kindOfCursor ? after : undefined,
    )) {
      const found = { kind, ...localise(object, search.locale) };
      if (!page.add(search.isBrief ? toBrief(found) : found))
        return {
          objects: page.objects,
          nextCursor: last ? encodeCursor(CATALOG_CURSOR, last) : null,
        };
      last = { sortOrder: object.sortOrder, id: object.id };
    }
  return { objects: page.objects, nextCursor: null };
}

type Listed = { id: string; sortOrder: number; name: string; priceCents?: number };

const toBrief = ({ kind, id, name, priceCents }: Listed & { kind: SearchKind }) => ({
  kind,
  id,
  name,
  priceCents,
});

/**
 * Returns the objects of a kind that match a search and come after a position. The list has at most
 * one object more than the page, which shows that there is a next page.
 */
function selectKind(
  { select, forms, context }: CatalogView,
  kind: SearchKind,
  { words, dietary, maxPriceCents = Infinity, limit, locale }: Search,
  after: CursorPosition | undefined,
): Listed[] {
  const formsForAgents = createForms(context, locale);
  const hasWords = createMatcher(words, context);
  const options = { after, limit: limit + 1 };
  const dietaryLabel = dietary === undefined ? undefined : fold(dietary);
  const hasMaxPrice = maxPriceCents < Infinity;
  if (kind === "service") {
    if (dietaryLabel !== undefined) return [];
    const isWithinPrice = (doc: DocOf["service"]) =>
      !hasMaxPrice ||
      (doc.priceType !== "ON_REQUEST" &&
        Math.min(doc.priceCents, ...doc.variants.map((variant) => variant.priceCents)) <=
          maxPriceCents);
    return select("service", {
      ...options,
      matches: (doc) => isWithinPrice(doc) && hasWords(doc),
    }).docs.map((doc) => formsForAgents.service(forms.services(doc)));
  }
  if (kind === "dish") {
    const lowestPrice = ({ sizes, priceCents }: DocOf["menu_item"]) =>
      sizes.length > 0 ? Math.min(...sizes.map((size) => size.priceCents)) : priceCents;
    const isWithinPrice = (doc: DocOf["menu_item"]) =>
      !hasMaxPrice || (doc.priceType !== "MARKET" && lowestPrice(doc) <= maxPriceCents);
    const isAllowed = (doc: DocOf["menu_item"]) =>
      dietaryLabel === undefined || doc.dietary.some((label) => fold(label) === dietaryLabel);
    return select("menu_item", {
      ...options,
      matches: (doc) => isWithinPrice(doc) && isAllowed(doc) && hasWords(doc),
    }).docs.map((doc) => formsForAgents.dish(forms.menuItems(doc)));
  }
  // People and promotions have neither prices nor dietary labels, so a search for a price or a
  // label finds none of them.
  if (hasMaxPrice || dietaryLabel !== undefined) return [];
  if (kind === "staff")
    return select("staff", { ...options, matches: hasWords }).docs.map(forms.staff);
  const { now } = context;
  return select("promotion", {
    ...options,
    matches: (doc) => (doc.schedule.endsAt === null || now < doc.schedule.endsAt) && hasWords(doc),
  }).docs.map(forms.promotions);
}

export type EventSearch = {
  words: string;
  /** Events must end after this time; -Infinity for any event. */
  from: number;
  /** Events must start before this time; Infinity for any event. */
  to: number;
  limit: number;
  cursor: string | undefined;
  locale: string;
};

const EVENTS_CURSOR = "list_events";

/** Returns public events that are not over, in the order of their starts. */
export function searchEvents(
  { select, forms, context }: CatalogView,
  { words, from, to, limit, cursor, locale }: EventSearch,
): Found {
  const hasWords = createMatcher(words, context);
  const after = cursor === undefined ? undefined : decodeCursor(EVENTS_CURSOR, cursor);
  const { docs } = select("public_event", {
    matches: (doc) =>
      statusAt(doc, context.now) !== "ENDED" &&
      doc.endsAt > Math.max(from, context.now) &&
      doc.startsAt < to &&
      hasWords(doc),
  });
  const page = new ResultPage(limit);
  let last: CursorPosition | undefined;
  // Events are listed by their starts, so their cursors contain the start as `sortOrder`.
  const positions = docs
    .map((doc) => ({
      doc,
      sortOrder: doc.startsAt,
      id: objectId("public_event", context.slug, doc),
    }))
    .sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1));
  for (const { doc, ...position } of positions) {
    if (after && !isAfter(position, after)) continue;
    if (!page.add(localise(toEvent(forms.events(doc)), locale)))
      return { objects: page.objects, nextCursor: last ? encodeCursor(EVENTS_CURSOR, last) : null };
    last = position;
  }
  return { objects: page.objects, nextCursor: null };
}
