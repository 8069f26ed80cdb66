import {
  ALLERGENS,
  type MenuCategoryDoc,
  type MenuItemDoc,
  type ModifierGroupDoc,
} from "../catalog.ts";
import { common, description, keyed, keys, tags, windows } from "./common-fields.ts";
import { defaultsFor } from "./defaults.ts";
import {
  cents,
  choice,
  fields,
  key,
  line,
  list,
  money,
  integer,
  exactChoice,
  flag,
} from "./values.ts";

const price = { price: money.optional(), priceCents: cents.optional() };
const allergens = list(exactChoice(...ALLERGENS), 50).optional();

const category = fields({
  ...common,
  description,
  parent: key.optional(),
  availability: windows.optional(),
});

export const MENU_CATEGORY_DEFAULTS = defaultsFor<MenuCategoryDoc>()({ parent: null });

const item = fields({
  ...common,
  description,
  categories: keys.optional(),
  ...price,
  priceType: choice("FIXED", "FROM", "MARKET", "FREE").optional(),
  sizes: list(fields({ ...keyed, ...price }), 50).optional(),
  modifierGroups: keys.optional(),
  allergens,
  mayContain: allergens,
  dietary: list(line(50), 50).optional(),
  spicyLevel: integer(0, 5).optional(),
  calories: integer(0, 20_000).optional(),
  containsAlcohol: flag.optional(),
  availability: windows.optional(),
  tags,
  sku: line(100).optional(),
});

export const MENU_ITEM_DEFAULTS = defaultsFor<MenuItemDoc>()({
  categories: [],
  priceType: "FIXED",
  modifierGroups: [],
  allergens: [],
  mayContain: [],
  dietary: [],
  spicyLevel: null,
  calories: null,
  containsAlcohol: false,
  tags: [],
  sku: null,
});

const modifierGroup = fields({
  ...common,
  min: integer(0, 100).optional(),
  max: integer(1, 100).optional(),
  options: list(fields({ ...keyed, ...price, default: flag.optional(), allergens }), 200),
});

export const MODIFIER_GROUP_DEFAULTS = { min: 0 };
export const OPTION_DEFAULTS = defaultsFor<ModifierGroupDoc["options"][number]>()({
  allergens: [],
});

/** Without `max`, all options may be chosen. */
export const defaultMaxSelections = (min: number, optionCount: number): number =>
  Math.max(min, optionCount, 1);

/** Each list is a section: applying a file leaves the lists that it lacks unchanged. */
export const menu = fields({
  categories: list(category, 100_000).optional(),
  items: list(item, 100_000).optional(),
  modifierGroups: list(modifierGroup, 100_000).optional(),
});
