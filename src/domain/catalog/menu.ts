import type { Common, Described, Named, WeeklyWindow } from "./common.ts";

// The catalog stores the menu of a restaurant or bar as these documents.

export type MenuCategoryDoc = Described & {
  parent: string | null;
  /** When the category is served; null: always; an empty list: never. */
  availability: WeeklyWindow[] | null;
};

export type Allergen = (typeof ALLERGENS)[number];
/** The allergens that Regulation (EU) No 1169/2011, Annex II, lists. */
export const ALLERGENS = [
  "gluten",
  "crustaceans",
  "eggs",
  "fish",
  "peanuts",
  "soybeans",
  "milk",
  "nuts",
  "celery",
  "mustard",
  "sesame",
  "sulphites",
  "lupin",
  "molluscs",
] as const;

export type ModifierGroupDoc = Common & {
  minSelections: number;
  maxSelections: number;
  options: (Named & { priceCents: number; isDefault: boolean; allergens: Allergen[] })[];
};

export type MenuItemDoc = Described & {
  categories: string[];
  priceCents: number;
  priceType: "FIXED" | "FROM" | "MARKET" | "FREE";
  sizes: (Named & { priceCents: number })[];
  modifierGroups: string[];
  allergens: Allergen[];
  mayContain: Allergen[];
  dietary: string[];
  spicyLevel: number | null;
  calories: number | null;
  containsAlcohol: boolean;
  /** When the dish is served; null: always; an empty list: never. */
  availability: WeeklyWindow[] | null;
  tags: string[];
  sku: string | null;
};
