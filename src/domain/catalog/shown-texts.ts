import { shallowEqual } from "../equality.ts";
import type { Translations } from "./common.ts";
import { PARTS } from "./parts.ts";

/**
 * Returns the edited document. Partners see the translation of a text into the business's own
 * language instead of the text itself. A changed text of the document, or of a part such as a
 * variant or ticket type, therefore also replaces this translation, and a removed text removes the
 * translation.
 */
export function withShownTexts<Doc extends object>(before: Doc, edited: Doc, locale: string): Doc {
  const shown = withOwnTexts(before, edited, locale);
  const changedLists = Object.values(PARTS).flatMap((list) => {
    const [parts, old] = [edited, before].map((doc) => (doc as PartLists)[list]);
    if (parts === undefined || parts === old) return [];
    const oldByKey = new Map(old?.map((part) => [part.key, part]));
    const shownParts = parts.map((part) =>
      withOwnTexts(oldByKey.get(part.key) ?? part, part, locale),
    );
    return shallowEqual(shownParts, parts) ? [] : [[list, shownParts] as const];
  });
  return changedLists.length === 0 ? shown : { ...shown, ...Object.fromEntries(changedLists) };
}

type PartLists = Record<string, { key: string }[] | undefined>;

function withOwnTexts<Doc extends object>(before: Doc, edited: Doc, locale: string): Doc {
  const [translations, translationsBefore] = [edited, before].map(
    (doc) => (doc as { translations?: Translations }).translations,
  );
  const texts = translations?.[locale];
  // If the author edited the translations, they stay as the author wrote them, even if a text was
  // edited at the same time.
  if (texts === undefined || translations !== translationsBefore) return edited;
  const valueIn = (doc: Doc, field: string) => (doc as Record<string, unknown>)[field];
  const changed = Object.keys(texts).filter(
    (field) => valueIn(edited, field) !== valueIn(before, field),
  );
  if (changed.length === 0) return edited;
  const shown = Object.entries(texts).flatMap(([field, text]) => {
    const value = changed.includes(field) ? valueIn(edited, field) : text;
    return typeof value === "string" ? [[field, value] as const] : [];
  });
  const { [locale]: _replaced, ...others } = translations as Translations;
  const own = shown.length === 0 ? {} : { [locale]: Object.fromEntries(shown) };
  return { ...edited, translations: { ...others, ...own } };
}
