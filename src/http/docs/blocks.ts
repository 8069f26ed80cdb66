import { type Html, html } from "./html.ts";

/** A text with its `code` spans as markup. */
export const renderInline = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

/** A text whose paragraphs are separated by blank lines. */
export const renderParagraphs = (text: string): Html[] =>
  text.split(/\n{2,}/).map((paragraph) => html`<p>${renderInline(paragraph)}</p>`);

/** Wide tables scroll inside their container, so that the page does not scroll sideways. */
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

/** The anchor that the interactive reference gives a heading, so that links work in both. */
export const anchorOf = (title: string): string =>
  `api/description/${title.toLowerCase().replace(/[^\w]+/g, "-")}`;
