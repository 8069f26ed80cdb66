/**
 * Markup that needs no escaping. It is a class so that a value parsed from JSON cannot imitate it.
 */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | readonly Html[] | string | number;

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

export const renderInline = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

export const renderParagraphs = (text: string): Html[] =>
  text.split(/\n{2,}/).map((paragraph) => html`<p>${renderInline(paragraph)}</p>`);

/** Wide tables scroll inside their container. */
export const renderTable = (head: readonly Html[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th>${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/** The interactive reference gives a heading the same anchor. */
export const anchorOf = (title: string): string =>
  `api/description/${title.toLowerCase().replace(/[^\w]+/g, "-")}`;
