import { expect, test } from "vitest";
import { withShownTexts } from "../../../../src/domain/catalog/change/shown-texts.ts";

const translations = { en: { name: "Cut" }, de: { name: "Schnitt" } };
const BEFORE = { key: "cut", name: "Haircut", description: "Wash and cut", translations };

test("a text that a translation into the business's language hides changes there too", () => {
  expect(withShownTexts(BEFORE, { ...BEFORE, name: "Trim" }, "en")).toEqual({
    ...BEFORE,
    name: "Trim",
    translations: { ...translations, en: { name: "Trim" } },
  });
});

test("texts without such a translation, and edited translations, stay as they are", () => {
  const described = { ...BEFORE, description: "Only cut" };
  expect(withShownTexts(BEFORE, described, "en")).toBe(described);
  const renamed = { ...BEFORE, name: "Trim" };
  expect(withShownTexts(BEFORE, renamed, "fr")).toBe(renamed);
  const translated = { ...renamed, translations: { en: { name: "Other" } } };
  expect(withShownTexts(BEFORE, translated, "en")).toBe(translated);
});
