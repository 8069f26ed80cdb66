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

/** Renders the headers and the envelope, with the first event as the example, then each event. */
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
  return html`<p>Each event is sent to the endpoints that subscribe to it, with these headers:</p>
    ${renderParameters(parameters.map((parameter) => resolveRef<Parameter>(document, parameter)))}
    <p>
      The body of <code>${name}</code>; other events differ in <code>changed</code> and
      <code>object</code>:
    </p>
    ${schemas.map(renderFields)}`;
}

const renderEvent = (name: string, { requestBody }: Operation): Html =>
  html`<article id="${name}">
    <h4><code>${name}</code></h4>
    ${Object.values(requestBody?.content ?? {}).map(({ example }) => renderExample(html`Payload`, example))}
  </article> `;
