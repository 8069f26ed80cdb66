/** Markup that needs no escaping. It is a class so that a value parsed from JSON cannot imitate it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | readonly Html[] | string | number;

/** A template that escapes its parts unless they are Html. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(
    texts.map((text, i) => text + (i < parts.length ? toMarkup(parts[i] as Part) : "")).join(""),
  );

export const EMPTY = new Html("");

const toMarkup = (part: Part): string => {
  if (part instanceof Html) return part.markup;
  return Array.isArray(part) ? part.map(toMarkup).join("") : escape(String(part));
};

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
