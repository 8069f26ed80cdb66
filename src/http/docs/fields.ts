import { describeType, type Schema } from "./document.ts";
import { type Html, html, NOTHING } from "./html.ts";
import { renderInline, renderTable } from "./markdown.ts";

/** What an object has, a line a field. */
export function renderFields({ properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties).map(([name, schema]) => [
    html`<code>${name}</code>${required.includes(name) ? NOTHING : " (optional)"}`,
    renderType(schema),
    renderInline(schema.description ?? ""),
  ]);
  return renderTable([html`Field`, html`Type`, html`What it is`], rows);
}

/** Types that have a name are among the objects at the end of the page. */
export const renderType = (schema: Schema): Html =>
  schema.$ref === undefined
    ? html`${describeType(schema)}`
    : html`<a href="#${describeType(schema)}">${describeType(schema)}</a>`;
