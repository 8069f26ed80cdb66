import type { Schema } from "./document.ts";
import { type Html, html, EMPTY } from "./html.ts";
import { renderInline, renderTable } from "./blocks.ts";
import { renderType } from "./type.ts";

/** A table of the fields of an object, including those of unnamed objects inside it, by path. */
export const renderFields = (schema: Schema): Html =>
  renderTable([html`Field`, html`Type`, html`Description`], rowsOf(schema, ""));

const rowsOf = ({ properties = {}, required = [] }: Schema, path: string): Html[][] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const fieldPath = path + name;
    const row = [
      html`<code>${fieldPath}</code>${required.includes(name) ? EMPTY : describeAbsence(schema)}`,
      renderType(schema),
      renderInline(descriptionOf(schema)),
    ];
    return [
      row,
      ...nestedObjects(schema, fieldPath).flatMap(({ schema, path }) => rowsOf(schema, path)),
    ];
  });

const describeAbsence = (schema: Schema): string =>
  schema.default === undefined ? " (optional)" : ` (default ${JSON.stringify(schema.default)})`;

/** The description of the field, or of its type if it is nullable. */
const descriptionOf = ({ description, anyOf = [] }: Schema): string =>
  description ?? anyOf.find((choice) => choice.description !== undefined)?.description ?? "";

function nestedObjects(schema: Schema, path: string): { schema: Schema; path: string }[] {
  if (schema.$ref !== undefined) return [];
  if (schema.properties) return [{ schema, path: `${path}.` }];
  if (schema.items) return nestedObjects(schema.items, `${path}[]`);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((choice) => nestedObjects(choice, path));
}
