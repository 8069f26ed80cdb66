import type { PageRequest } from "../../http/pages/page-request.ts";
import { getHeader } from "../../http/pipeline/request-context.ts";
import { choosePageLanguage, type PageLanguage } from "../../pages/languages.ts";

export const deskPathOf = ({ base, slug }: PageRequest): string =>
  `${base}/b/${encodeURIComponent(slug)}/desk`;

/**
 * @param locale the locale of the business; null for a page that must not reveal whether a business
 * exists
 */
export const languageOf = ({ context }: PageRequest, locale: string | null): PageLanguage =>
  choosePageLanguage(
    getHeader(context.request, "accept-language"),
    locale === null ? [] : [locale],
  );
