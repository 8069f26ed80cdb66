import type { Translations } from "../../../domain/catalog/catalog.ts";

/** The locale to answer in: the one asked for, else its language, else the business's own. */
export function chooseLocale(
  asked: string | undefined,
  business: { locale: string; locales: string[] },
): string {
  if (asked === undefined) return business.locale;
  const known = [business.locale, ...business.locales];
  const find = (wanted: string) =>
    known.find((locale) => locale.toLowerCase() === wanted.toLowerCase());
  const [language = asked] = asked.split("-");
  return find(asked) ?? find(language) ?? business.locale;
}

/** A representation in one locale, at every depth: translated texts in place, `translations` only where asked for. */
export function localise<T>(value: T, locale: string, keepTranslations: boolean): T {
  if (Array.isArray(value))
    return value.map((item) => localise(item, locale, keepTranslations)) as T;
  if (typeof value !== "object" || value === null) return value;
  const { translations } = value as { translations?: Translations };
  // A service's free attributes may have one of that name, which is a text.
  const isTranslated = typeof translations === "object";
  const texts = (isTranslated && translations[locale]) || {};
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (name === "translations" && isTranslated) {
      if (keepTranslations) shown[name] = field;
    } else
      shown[name] = Object.hasOwn(texts, name)
        ? texts[name]
        : localise(field, locale, keepTranslations);
  }
  return shown as T;
}
