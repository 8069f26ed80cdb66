import { choosePageLanguage, PAGE_LANGUAGES, parseLanguageTags } from "../../pages/languages.ts";
import type { Variant } from "./content/content.ts";

const primaryOf = (tag: string): string => tag.toLowerCase().split("-", 1)[0] ?? "";

/**
 * Returns the language of a page's fixed texts, and that of its texts from the catalog.
 * @param wanted the language that the reader chose, in the URL or when booking; null if none
 * @param acceptLanguage the `Accept-Language` header, which decides if `wanted` is not a language
 * of the pages
 * @param locales the languages of the catalog, the main language first
 */
export function chooseVariant(
  wanted: string | null,
  acceptLanguage: string | undefined,
  locales: readonly string[],
): Variant {
  const urlLanguage = PAGE_LANGUAGES.find((language) => language === wanted);
  const language = urlLanguage ?? choosePageLanguage(acceptLanguage, locales);
  const findLocale = (tag: string) =>
    locales.find((locale) => locale.toLowerCase() === tag.toLowerCase()) ??
    locales.find((locale) => primaryOf(locale) === primaryOf(tag));
  const readerLanguages = urlLanguage ? [urlLanguage] : parseLanguageTags(acceptLanguage ?? "");
  const locale = readerLanguages.map(findLocale).find((one) => one !== undefined);
  return {
    language,
    locale: locale ?? findLocale(language) ?? locales[0] ?? "en",
    isChosen: urlLanguage !== undefined,
  };
}
