import { problemAnchor } from "./errors.ts";
import { heading, joinBlocks, jsonExample, table } from "./markdown.ts";
import {
  type ApiDocument,
  type Parameter,
  resolveRef,
  type Operation,
  type Route,
} from "./reference.ts";
import { renderSamples } from "./samples.ts";
import { renderFields, renderType } from "./schema.ts";

/** Renders an operation as a section of the reference, or with `level` 1 as a page of its own. */
export function renderOperation(
  document: ApiDocument,
  { method, path, operation }: Route,
  level = 3,
): string {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolveRef<Parameter>(document, parameter),
  );
  return joinBlocks(
    heading(level, operation.summary ?? path, level === 1 ? undefined : operation.operationId),
    `\`${method.toUpperCase()} ${path}\``,
    `${operation.description ?? ""} ${describeScope(operation)}`,
    renderParameters(parameters),
    renderBody(operation),
    renderSamples({ method, path, operation, parameters, isKeyed: !isOpen(operation) }),
    renderResponses(document, operation),
  );
}

const isOpen = ({ security = [] }: Operation): boolean =>
  security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);

function describeScope(operation: Operation): string {
  const scopes = (operation.security ?? []).flatMap((scheme) => Object.values(scheme).flat());
  if (isOpen(operation)) return "No key needed.";
  if (scopes.length === 0) return "Requires no scope.";
  return `Requires the scope \`${scopes.join("` or `")}\`.`;
}

export function renderParameters(parameters: readonly Parameter[]): string {
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
