/**
 * Returns the first of these locales that the business has: the requested one, its language without
 * the region, the business's default.
 */
export function chooseLocale(
  requested: string | undefined,
  business: { locale: string; locales: string[] },
): string {
  if (requested === undefined) return business.locale;
  const supported = [business.locale, ...business.locales];
  const find = (wanted: string) =>
    supported.find((locale) => locale.toLowerCase() === wanted.toLowerCase());
  const [language = requested] = requested.split("-");
  return find(requested) ?? find(language) ?? business.locale;
}
