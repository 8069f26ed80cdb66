/** Markup that may stand in a page as it is. A class, so that nothing out of a JSON document can pass for it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | readonly Html[] | string | number;

/** A template whose parts are escaped, unless they are markup themselves. */
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
