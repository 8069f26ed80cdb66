import { expect, test } from "vitest";
import {
  choosePageLanguage,
  fillPlural,
  fillText,
  PAGE_LANGUAGES,
} from "../../src/pages/languages.ts";

test.each([
  [undefined, ["en-US"], "en"],
  ["de-AT,de;q=0.9,en;q=0.8", ["en"], "de"],
  ["pl,fr;q=0.4,it;q=0.7", ["es"], "it"],
  ["pl", ["pt-BR", "es-MX", "en"], "es"],
  ["pl", ["pt"], "en"],
  ["*", ["fr"], "fr"],
  ["de;q=0, ES", ["it"], "es"],
  ["<script>;q=9,,;", ["it"], "it"],
])("Accept-Language %s with the locales %j gives the language %s", (header, locales, language) => {
  expect(choosePageLanguage(header, locales)).toBe(language);
});

test("placeholders are filled, unknown ones stay, and placeholders in values are not filled", () => {
  expect(fillText("{a} of {b}, {c}", { a: "{b}", b: 2 })).toBe("{b} of 2, {c}");
  expect(fillText("Until {a}.", { a: "9:30 a. m." })).toBe("Until 9:30 a. m.");
  expect(fillText("Until {a}.", { a: "09:30" })).toBe("Until 09:30.");
  expect(fillText("Until {a}.", {})).toBe("Until {a}.");
});

test("the plural form of a number is chosen by the language", () => {
  const texts = { one: "{count} visit", other: "{count} visits" };
  expect([0, 1, 2].map((count) => fillPlural("en", texts, count))).toEqual([
    "0 visits",
    "1 visit",
    "2 visits",
  ]);
  expect(fillPlural("fr", texts, 0)).toBe("0 visit");
  for (const language of PAGE_LANGUAGES)
    expect(fillPlural(language, { other: "{count}" }, 1)).toBe("1");
});
