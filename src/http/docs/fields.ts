import type { Schema } from "./document.ts";
import { type Html, html, EMPTY } from "./html.ts";
import { renderInline, renderTable } from "./markdown.ts";
import { renderType } from "./type.ts";

/** What an object has, a line a field. Objects in it that have no name are laid out there, under the path that leads to them. */
export const renderFields = (schema: Schema): Html =>
  renderTable([html`Field`, html`Type`, html`What it is`], rowsOf(schema, ""));

const rowsOf = ({ properties = {}, required = [] }: Schema, path: string): Html[][] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const place = path + name;
    const row = [
      html`<code>${place}</code>${required.includes(name) ? EMPTY : describeAbsence(schema)}`,
      renderType(schema),
      renderInline(descriptionOf(schema)),
    ];
    return [row, ...insidesOf(schema, place).flatMap(({ inside, path }) => rowsOf(inside, path))];
  });

const describeAbsence = (schema: Schema): string =>
  schema.default === undefined ? " (optional)" : ` (${JSON.stringify(schema.default)} without it)`;

/** Its own, or the one of what it is when it is not null. */
const descriptionOf = ({ description, anyOf = [] }: Schema): string =>
  description ?? anyOf.find((choice) => choice.description !== undefined)?.description ?? "";

function insidesOf(schema: Schema, place: string): { inside: Schema; path: string }[] {
  if (schema.$ref !== undefined) return [];
  if (schema.properties) return [{ inside: schema, path: `${place}.` }];
  if (schema.items) return insidesOf(schema.items, `${place}[]`);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((choice) => insidesOf(choice, place));
}
