import { errorsAsMarkdown } from "./errors.ts";
import { deepenHeadings, heading, joinBlocks } from "./markdown.ts";
import { listEvents, renderEventPage, renderEvents } from "./events.ts";
import { renderOperation } from "./operation.ts";
import { type ApiDocument, listRoutes } from "./reference.ts";
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
  listRoutes(document)
    .filter(({ operation: { tags = [] } }) => tags.includes(tag))
    .map((route) => renderOperation(document, route));

export type Page = {
  /** The path below /docs; empty for /docs itself. */
  name: string;
  markdown: string;
};

/** Returns the part of the page at /docs that is not generated. */
export const renderGuide = ({ info }: ApiDocument, guide: string): Page => ({
  name: "",
  markdown: joinBlocks(heading(1, `${info.title} API`), deepenHeadings(guide)),
});

/** Returns a page for each operation, which language models read instead of the long one. */
export const operationPages = (document: ApiDocument): Page[] =>
  listRoutes(document).map((route) => ({
    name: route.operation.operationId ?? "",
    markdown: linkToReference(renderOperation(document, route, 1)),
  }));

export const eventPages = (document: ApiDocument): Page[] =>
  listEvents(document).map(([type, operation]) => ({
    name: `events/${type}`,
    markdown: linkToReference(renderEventPage(document, type, operation)),
  }));

/** Makes the links to sections of the reference work on another page. */
const linkToReference = (markdown: string): string => markdown.replaceAll("](#", "](/docs#");

/** Returns the title of a page, as plain text. */
export const titleOf = ({ markdown }: Page): string =>
  (/^# (.+?)(?: \{#\S+\})?$/m.exec(markdown)?.[1] ?? "").replaceAll("`", "");

/**
 * Returns the first sentence of a page's text. Headings and the line with the route of an operation
 * are skipped.
 */
const summaryOf = ({ markdown }: Page): string =>
  /\n\n([^#`\s][^]*?\.)(?=\s)/.exec(markdown)?.[1]?.replaceAll("\n", " ") ?? "";

export const addressOf = ({ name }: Page): string => (name === "" ? "/docs" : `/docs/${name}`);

type Section = { title: string; pages: readonly Page[] };

/** Returns the index of the pages for language models (llmstxt.org). */
export const renderLlmsTxt = ({ info }: ApiDocument, sections: readonly Section[]): string =>
  joinBlocks(
    heading(1, `${info.title} API`),
    `> ${info.summary ?? ""}`,
    ...sections.flatMap(({ title, pages }) => [
      heading(2, title),
      pages.map(renderLink).join("\n"),
    ]),
    heading(2, "API"),
    "- [OpenAPI 3.1 document]({{base}}/openapi.json)",
  ).concat("\n");

const renderLink = (page: Page): string =>
  `- [${titleOf(page)}]({{base}}${addressOf(page)}.md): ${summaryOf(page)}`;
