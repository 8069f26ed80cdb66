/** The first that the business has: the requested locale, its language, or its default. */
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
