import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../src/domain/nearest.ts";

const DISH_FIELDS = ["key", "name", "categories", "calories", "modifierGroups", "price", "sizes"];
const TABLE_FIELDS = ["key", "name", "area", "minSeats", "maxSeats", "status"];

test.each([
  ["Price", DISH_FIELDS, ["price"]],
  ["category", DISH_FIELDS, ["categories"]],
  ["modifiers", DISH_FIELDS, ["modifierGroups"]],
  ["seats", TABLE_FIELDS, ["minSeats", "maxSeats"]],
  ["size", DISH_FIELDS, ["sizes"]],
  ["orders", ["ticket-orders", "webhooks"], ["ticket-orders"]],
  ["categ", DISH_FIELDS, ["categories"]],
  ["prise", DISH_FIELDS, ["price"]],
  ["saet", ["seat", "set-menu"], ["seat"]],
  ["fone", ["phone", "email"], ["phone"]],
  ["resturant", ["restaurant", "salon", "venue", "all"], ["restaurant"]],
  ["form", ["FIXED", "FROM", "fixed", "from"], ["from"]],
  ["ACTVE", ["ACTIVE", "active"], ["ACTIVE"]],
  ["cut-senoir", ["cut-senior", "cut-junior"], ["cut-senior"]],
])("the nearest known names to '%s' are found", (name, known, expected) => {
  expect(nearest(name, known)).toEqual(expected);
});

test.each([
  ["seats", ["status", "seed", "serve"]],
  ["category", ["catalog", "keys"]],
  ["", ["a", "key"]],
  ["xyz", ["cut", "dye"]],
])("'%s' resembles none of the known names", (name, known) => {
  expect(nearest(name, known)).toEqual([]);
});

test("a suggestion names at most three of the candidates that match best", () => {
  expect(didYouMean("cut", ["cut-a", "cut-b", "cut-c", "cut-d", "cart"])).toBe(
    " Did you mean 'cut-a' or 'cut-b' or 'cut-c'?",
  );
  expect(didYouMean("nothing", ["cut"])).toBe("");
});

test("a name that several objects have is suggested once", () => {
  expect(didYouMean("web", ["website", "website"])).toBe(" Did you mean 'website'?");
});
