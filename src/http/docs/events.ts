import {
  type ApiDocument,
  resolveRef,
  type Operation,
  type Parameter,
  type Schema,
} from "./document.ts";
import { renderFields } from "./fields.ts";
import { type Html, html } from "./html.ts";
import { renderExample, renderParameters } from "./operation.ts";

/** What all events come with, told of the first of them; then each with what a receiver gets. */
export function renderEvents(document: ApiDocument): Html[] {
  const events = Object.entries(document.webhooks ?? {}).map(([name, { post = {} }]) => ({
    name,
    event: post,
  }));
  return [
    ...events.slice(0, 1).map(({ name, event }) => renderEnvelope(document, name, event)),
    ...events.map(({ name, event }) => renderEvent(name, event)),
  ];
}

function renderEnvelope(
  document: ApiDocument,
  name: string,
  { parameters = [], requestBody }: Operation,
): Html {
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) =>
    resolveRef<Schema>(document, schema),
  );
  return html`<p>What is sent to the endpoints that subscribe to it, with these headers:</p>
    ${renderParameters(parameters.map((parameter) => resolveRef<Parameter>(document, parameter)))}
    <p>
      The body of <code>${name}</code>; in that of others <code>changed</code> and
      <code>object</code> differ:
    </p>
    ${schemas.map(renderFields)}`;
}

const renderEvent = (name: string, { requestBody }: Operation): Html =>
  html`<article id="${name}">
    <h4><code>${name}</code></h4>
    ${Object.values(requestBody?.content ?? {}).map(({ example }) => renderExample(html`Payload`, example))}
  </article> `;
