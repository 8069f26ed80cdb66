import { ALLERGENS } from "../catalog.ts";
import { common, description, keyed, keys, tags, windows } from "./common-fields.ts";
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

const modifierGroup = fields({
  ...common,
  min: integer(0, 100).optional(),
  max: integer(1, 100).optional(),
  options: list(fields({ ...keyed, ...price, default: flag.optional(), allergens }), 200),
});

/** The card of a restaurant. Its lists are sections of their own: each is left alone by a file that does not name it. */
export const menu = fields({
  categories: list(category, 100_000).optional(),
  items: list(item, 100_000).optional(),
  modifierGroups: list(modifierGroup, 100_000).optional(),
});
