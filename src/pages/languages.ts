/** The languages of the fixed texts of pages for guests and the people in the shop. */
export const PAGE_LANGUAGES = ["en", "de", "fr", "es", "it"] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The fixed texts of a page in every language; TypeScript reports a missing one. */
export type Translations<Texts> = Readonly<Record<PageLanguage, Texts>>;

const findLanguage = (tag: string): PageLanguage | undefined => {
  const primary = tag.toLowerCase().split("-", 1)[0];
  return PAGE_LANGUAGES.find((language) => language === primary);
};

type Preference = { tag: string; quality: number };

/** Returns the tags in Accept-Language (RFC 9110, 12.5.4), the preferred first. */
export const parseLanguageTags = (acceptLanguage: string): string[] =>
  acceptLanguage
    .split(",")
    .map((part): Preference => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const quality = parameters.find((parameter) => /^q=[01](?:\.\d{0,3})?$/i.test(parameter));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);

/**
 * Returns the language of a page's fixed texts: the first of the reader's languages that has texts,
 * else the first of the business's, else English.
 * @param acceptLanguage the header Accept-Language
 * @param locales the languages of the business, its own first
 */
export const choosePageLanguage = (
  acceptLanguage: string | undefined,
  locales: readonly string[],
): PageLanguage =>
  [...parseLanguageTags(acceptLanguage ?? ""), ...locales]
    .map(findLanguage)
    .find((language) => language !== undefined) ?? "en";

/**
 * Replaces placeholders such as `{name}` in a text by their values. If a value ends with a full
 * stop, such as the Spanish `9:30 a. m.`, the full stop after its placeholder is left out.
 */
export const fillText = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}(\.?)/g, (placeholder, name: string, stop: string) => {
    // An unknown placeholder stays as it is.
    const value = String(values[name] ?? placeholder.slice(0, name.length + 2));
    return value.endsWith(".") ? value : value + stop;
  });

/** A text for each plural form of a language. `other` is used for a form that has no text. */
export type PluralText = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** Returns the text for a number, which fills the placeholder `{count}`. */
export const fillPlural = (language: PageLanguage, texts: PluralText, count: number): string =>
  fillText(texts[new Intl.PluralRules(language).select(count)] ?? texts.other, { count });
