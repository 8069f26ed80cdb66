import type { Translations } from "../common.ts";

type Translated = { translations?: Translations };

/**
 * Returns the edited document with each changed text also in its translation into the business's own
 * language, which partners show instead of the text.
 */
export function withShownTexts<Doc extends object>(before: Doc, edited: Doc, locale: string): Doc {
  const { translations } = edited as Translated;
  const texts = translations?.[locale];
  if (texts === undefined || translations !== (before as Translated).translations) return edited;
  const changed = Object.keys(texts).flatMap((field) => {
    const [old, text] = [before, edited].map((doc) => (doc as Record<string, unknown>)[field]);
    return text !== old && typeof text === "string" ? [[field, text] as const] : [];
  });
  if (changed.length === 0) return edited;
  const shown = { ...texts, ...Object.fromEntries(changed) };
  return { ...edited, translations: { ...translations, [locale]: shown } };
}
