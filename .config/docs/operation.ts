import { shellQuote } from "../../src/domain/text.ts";
import { problemAnchor } from "./errors.ts";
import { codeBlock, heading, joinBlocks, jsonExample, table } from "./markdown.ts";
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  resolveRef,
  type Schema,
} from "./reference.ts";
import { renderFields, renderType } from "./schema.ts";

export function renderOperation(
  document: ApiDocument,
  method: string,
  path: string,
  operation: Operation,
): string {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolveRef<Parameter>(document, parameter),
  );
  return joinBlocks(
    heading(3, operation.summary ?? path, operation.operationId),
    `\`${method.toUpperCase()} ${path}\``,
    `${operation.description ?? ""} ${describeScope(operation)}`,
    renderParameters(parameters),
    renderBody(operation),
    codeBlock("sh", exampleCurl(method, path, operation, parameters)),
    renderResponses(document, operation),
  );
}

function describeScope({ security = [] }: Operation): string {
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat());
  const isOpen =
    security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
  return isOpen ? "No key needed." : `Requires the scope \`${scopes.join("` or `")}\`.`;
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    ({ name, in: place, required = false, description = "", schema = {} }) => [
      `\`${name}\``,
      `${place}${required ? ", required" : ""}`,
      `${renderType(schema)}${schema.type === "array" ? ", comma-separated" : ""}`,
      description,
    ],
  );
  return table(["Parameter", "In", "Type", "Description"], rows);
}

function renderBody({ requestBody }: Operation): string {
  const [content] = Object.values(requestBody?.content ?? {});
  const isEmpty = Object.keys(content?.schema?.properties ?? {}).length === 0;
  return content?.schema && !isEmpty ? renderFields(content.schema) : "";
}

/**
 * Renders the successful responses, then the codes of all problems, which have sections of their
 * own.
 */
function renderResponses(document: ApiDocument, { responses = {} }: Operation): string {
  const resolved = Object.entries(responses).map(([status, response]) => ({
    status,
    ...resolveRef(document, response),
  }));
  const isProblem = ({ content = {} }: { content?: object }) =>
    "application/problem+json" in content;
  const successes = resolved
    .filter((response) => !isProblem(response))
    .flatMap(({ status, description, content = {} }) => {
      const contents = Object.values(content);
      const type = contents.map(({ schema }) => (schema?.$ref ? renderType(schema) : "")).join("");
      return [
        `**${status}** ${description}${type && ` ${type}`}`,
        ...contents.flatMap(({ example }) =>
          example === undefined ? [] : [jsonExample(`Example of ${status}`, example)],
        ),
      ];
    });
  const problems = resolved.filter(isProblem).map(({ status, description }) => {
    const codes = [...description.matchAll(/^`(\w+)`: /gm)].map(
      ([, code = ""]) => `[\`${code}\`](#${problemAnchor(code)})`,
    );
    return `${status} ${codes.join(", ")}`;
  });
  return joinBlocks(...successes, problems.length > 0 ? `Problems: ${problems.join("; ")}` : "");
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
  const needsIdempotencyKey = parameters.some(
    ({ name, required }) => name === "Idempotency-Key" && required,
  );
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const options = [
    method === "get" ? "" : ` -X ${method.toUpperCase()}`,
    isKeyed ? ' -H "Authorization: Bearer $KEY"' : "",
    needsIdempotencyKey ? ' -H "Idempotency-Key: $(openssl rand -hex 16)"' : "",
  ].join("");
  const url = `"{{base}}${filled}${query.join("")}"`;
  const first = `curl${options}${options && " \\\n "} ${url}`;
  if (content?.[1].example === undefined) return first;
  return `${first} \\\n  -H "Content-Type: ${content[0]}" -d ${shellQuote(JSON.stringify(content[1].example))}`;
}

const EVENTS = "Each event is sent to the endpoints that subscribe to it, with these headers:";

export function renderEvents(document: ApiDocument): string {
  const events = Object.entries(document.webhooks ?? {}).map(([name, { post = {} }]) => ({
    name,
    operation: post,
  }));
  const [first] = events;
  if (first === undefined) return "";
  const { parameters = [], requestBody } = first.operation;
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) =>
    resolveRef<Schema>(document, schema),
  );
  return joinBlocks(
    EVENTS,
    renderParameters(parameters.map((parameter) => resolveRef<Parameter>(document, parameter))),
    `The body of \`${first.name}\`; other events differ in \`changed\` and \`object\`:`,
    ...schemas.map(renderFields),
    ...events.map(({ name, operation }) => renderEvent(name, operation)),
  );
}

const renderEvent = (name: string, { requestBody }: Operation): string =>
  joinBlocks(
    heading(3, `\`${name}\``, `event-${name}`),
    ...Object.values(requestBody?.content ?? {}).map(({ example }) =>
      jsonExample("Payload", example),
    ),
  );
