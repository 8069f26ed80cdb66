import { expect, test } from "vitest";
import { columnOf, typeOf } from "../../../src/features/csv/headings.ts";

test.each([
  ["Bezeichnung", "name"],
  ["Preis (CHF)", "price"],
  ["Preis in €", "price"],
  ["Price USD", "price"],
  ["Preis in Fr.", "price"],
  ["Dauer (Min.)", "duration_min"],
  ["Dauer in Minuten", "duration_min"],
  ["Duration", "duration_min"],
  ["Kategorie", "category"],
  ["Parent key", "parent_key"],
  ["Schlüssel", "key"],
  ["Schlu\u0308ssel", "key"],
  ["Beschreibung", "description"],
])("the title '%s' names the column %s", (title, column) => {
  expect(columnOf(title)).toBe(column);
});

test.each(["Preis netto", "Supplier", "", "in"])("the title '%s' names no column", (title) => {
  expect(columnOf(title)).toBeUndefined();
});

test.each([
  ["dish", "menu_item"],
  ["Menu item", "menu_item"],
  ["Gericht", "menu_item"],
  ["Dienstleistung", "service"],
  ["Add-on", "addon"],
  ["Leistungskategorie", "service_category"],
  ["Variante", "variant"],
  ["Größe", "size"],
])("the type '%s' in a CSV table means %s", (text, type) => {
  expect(typeOf(text)).toBe(type);
});
