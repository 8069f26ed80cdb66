import { shellQuote } from "../../domain/text.ts";
import { EMPTY, type Html, html, renderInline, renderParagraphs, renderTable } from "./html.ts";
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  resolveRef,
  type Schema,
} from "./reference.ts";
import { renderFields, renderType } from "./schema.ts";

export function renderRoute(
  document: ApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolveRef<Parameter>(document, parameter),
  );
  return html`<article id="${operation.operationId ?? `${method}-${path}`}">
    <h4><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></h4>
    <p>${operation.summary ?? ""}. <span class="scope">${describeScope(operation)}</span></p>
    ${renderParagraphs(operation.description ?? "")} ${renderParameters(parameters)}
    ${renderBody(operation)} ${renderResponses(document, operation)}
    <pre><code class="language-sh">${exampleCurl(method, path, operation, parameters)}</code></pre>
  </article> `;
}

function describeScope({ security = [] }: Operation): string {
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat());
  const isOpen =
    security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
  return isOpen ? "No key needed." : `Requires the scope ${scopes.join(" or ")}.`;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return EMPTY;
  const rows = parameters.map(
    ({ name, in: place, required = false, description = "", schema = {} }) => [
      html`<code>${name}</code>`,
      html`${place}${required ? ", required" : ""}`,
      html`${renderType(schema)}${schema.type === "array" ? ", comma-separated" : ""}`,
      renderInline(description),
    ],
  );
  return renderTable([html`Parameter`, html`In`, html`Type`, html`Description`], rows);
}

function renderBody({ requestBody }: Operation): Html {
  const [content] = Object.values(requestBody?.content ?? {});
  const isEmpty = Object.keys(content?.schema?.properties ?? {}).length === 0;
  return content?.schema && !isEmpty ? renderFields(content.schema) : EMPTY;
}

function renderResponses(document: ApiDocument, { responses = {} }: Operation): Html {
  const items = Object.entries(responses).map(([status, response]) => {
    const { description, content = {} } = resolveRef(document, response);
    const examples = Object.values(content).map(({ schema, example }) =>
      renderExample(schema?.$ref ? renderType(schema) : html`Example`, example),
    );
    return html`<li><strong>${status}</strong> ${renderParagraphs(description)}${examples}</li>`;
  });
  return html`<details>
    <summary>Responses ${Object.keys(responses).join(", ")}</summary>
    <ul class="responses">
      ${items}
    </ul>
  </details>`;
}

function renderExample(label: Html, example: unknown): Html {
  if (example === undefined) return label;
  return html`<details>
    <summary>${label}</summary>
    <pre><code class="language-json">${JSON.stringify(example, null, 2)}</code></pre>
  </details>`;
}

function exampleCurl(
  method: string,
  path: string,
  operation: Operation,
  parameters: readonly Parameter[],
): string {
  const filled = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce(
      (filled, { name, example }) =>
        filled.replace(`{${name}}`, encodeURIComponent(String(example ?? name))),
      path,
    );
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.example !== undefined)
    .map(
      ({ name, example }, i) =>
        `${i === 0 ? "?" : "&"}${name}=${encodeURIComponent(String(example))}`,
    );
  const isKeyed = !describeScope(operation).startsWith("No key");
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const parts = [
    "curl",
    method === "get" ? "" : `-X ${method.toUpperCase()}`,
    isKeyed ? '-H "Authorization: Bearer $KEY"' : "",
    `"$BASE${filled}${query.join("")}"`,
  ];
  const first = parts.filter((part) => part !== "").join(" ");
  if (content?.[1].example === undefined) return first;
  return `${first} \\\n  -H "Content-Type: ${content[0]}" -d ${shellQuote(JSON.stringify(content[1].example))}`;
}

export const renderEvents = (document: ApiDocument): Html[] =>
  Object.entries(document.webhooks ?? {}).flatMap(([name, { post = {} }], i) => [
    ...(i === 0 ? [renderEnvelope(document, name, post)] : []),
    renderEvent(name, post),
  ]);

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
