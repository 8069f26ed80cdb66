import { errorsAsMarkdown } from "./errors.ts";
import { deepenHeadings, heading, joinBlocks } from "./markdown.ts";
import { renderEvents, renderOperation } from "./operation.ts";
import type { ApiDocument } from "./reference.ts";
import { isEventSchema, renderFields } from "./schema.ts";

/**
 * Returns the page at /docs as Markdown: the guide, then every error, route, event and object.
 * `{{base}}` stands for the URL of the API.
 */
export function renderReference(document: ApiDocument, guide: string): string {
  const { info, tags = [], components } = document;
  const objects = Object.entries(components?.schemas ?? {}).filter(
    ([name, { properties }]) => properties && !isEventSchema(name),
  );
  return joinBlocks(
    heading(1, `${info.title} API`),
    heading(2, "Overview"),
    info.description ?? "",
    deepenHeadings(guide),
    errorsAsMarkdown(),
    ...tags.map(({ name, description = "" }) => {
      const operations = listOperations(document, name);
      return operations.length === 0
        ? ""
        : joinBlocks(heading(2, name), description, ...operations);
    }),
    heading(2, "Events"),
    renderEvents(document),
    heading(2, "Objects"),
    ...objects.map(([name, schema]) => joinBlocks(heading(3, name, name), renderFields(schema))),
  );
}

const listOperations = (document: ApiDocument, tag: string): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([method, operation]) => renderOperation(document, method, path, operation)),
  );

export type Page = {
  /** The path below /docs; empty for /docs itself. */
  name: string;
  markdown: string;
};

export const titleOf = ({ markdown }: Page): string => /^# (.+)$/m.exec(markdown)?.[1] ?? "";

/** Returns the first sentence of a page's text. */
const summaryOf = ({ markdown }: Page): string =>
  /\n\n([^#\s][^]*?\.)(?=\s)/.exec(markdown)?.[1]?.replaceAll("\n", " ") ?? "";

export const addressOf = ({ name }: Page): string => (name === "" ? "/docs" : `/docs/${name}`);

/** Returns the index of the pages for language models (llmstxt.org). */
export const renderLlmsTxt = ({ info }: ApiDocument, pages: readonly Page[]): string =>
  joinBlocks(
    heading(1, `${info.title} API`),
    `> ${info.summary ?? ""}`,
    heading(2, "Docs"),
    pages
      .map((page) => `- [${titleOf(page)}]({{base}}${addressOf(page)}.md): ${summaryOf(page)}`)
      .join("\n"),
    heading(2, "API"),
    "- [OpenAPI 3.1 document]({{base}}/openapi.json)",
  ).concat("\n");
