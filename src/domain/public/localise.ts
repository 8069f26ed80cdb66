import type { Translations } from "../catalog/common.ts";

/** A copy with the texts in one locale at every depth. */
export function localise<T>(value: T, locale: string, keepTranslations: boolean): T {
  if (Array.isArray(value))
    return value.map((item) => localise(item, locale, keepTranslations)) as T;
  if (typeof value !== "object" || value === null) return value;
  const { translations } = value as { translations?: Translations };
  // A custom attribute of a service can also be called `translations`; its value is a string.
  const isTranslated = typeof translations === "object";
  const texts = (isTranslated && translations[locale]) || {};
  const localised: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (name === "translations" && isTranslated) {
      if (keepTranslations) localised[name] = field;
    } else
      localised[name] = Object.hasOwn(texts, name)
        ? texts[name]
        : localise(field, locale, keepTranslations);
  }
  return localised as T;
}
