import { readFileSync } from "node:fs";
import type { Plugin } from "rolldown";
import { transformSync } from "rolldown/utils";
import {
  eventPages,
  operationPages,
  type Page,
  renderGuide,
  renderLlmsTxt,
  renderReference,
} from "./docs/page.ts";
import type { ApiDocument } from "./docs/reference.ts";
import { createSearchIndex } from "./docs/search-index.ts";
import { describeApi } from "./openapi/document.ts";
import { loadRoutes } from "../src/http/routes.ts";
import { readVersion } from "../src/platform/assets.ts";
import { renderHtml } from "./docs-html.ts";

/** The pages below /docs in the order of the navigation, each with its Markdown file. */
const GUIDES = {
  mirror: "data/guides/mirror.md",
  "taking-bookings": "data/guides/taking-bookings.md",
  "reserving-tables": "data/guides/reserving-tables.md",
  "selling-tickets": "data/guides/selling-tickets.md",
  agents: "data/guides/agents.md",
  "several-businesses": "data/guides/several-businesses.md",
  reconciliation: "data/guides/reconciliation.md",
  testing: "data/guides/testing.md",
  "going-live": "data/guides/going-live.md",
  changelog: "data/changelog.md",
};

/** Files that readers download as text, because a browser shows text and does not run it. */
const DOWNLOADS = {
  "website-server.txt": "data/example-website/server.mjs",
  "website-page.txt": "data/example-website/page.html",
};

/** The address of the API in the files. A page replaces it with the address of its server. */
const EXAMPLE_BASE = "http://127.0.0.1:4100";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

export const describeRoutes = async (): Promise<object> =>
  describeApi({ routes: await loadRoutes(), version: readVersion() });

/** Returns the content of every file of the docs, by its name in dist/docs. */
export async function createDocs(): Promise<Record<string, string>> {
  const document = (await describeRoutes()) as ApiDocument;
  const guide = read("data/partner-guide.md");
  const pages: Page[] = [
    { name: "", markdown: renderReference(document, guide) },
    ...Object.entries(GUIDES).map(([name, path]) => ({
      name,
      markdown: path.startsWith("data/guides/")
        ? read(path).replaceAll(EXAMPLE_BASE, "{{base}}")
        : read(path),
    })),
  ];
  const operations = operationPages(document);
  const events = eventPages(document);
  const sections = [
    { title: "Docs", pages },
    { title: "Operations", pages: operations },
    { title: "Events", pages: events },
  ];
  return {
    "llms.txt": renderLlmsTxt(document, sections),
    "style.css": read(".config/docs/style.css"),
    "script.js": read(".config/docs/script.js"),
    "search.js": transformSync("search.ts", read(".config/docs/search.ts")).code,
    "search.json": JSON.stringify(
      createSearchIndex(document, [renderGuide(document, guide), ...pages.slice(1)]),
    ),
    ...Object.fromEntries(Object.entries(DOWNLOADS).map(([name, path]) => [name, read(path)])),
    ...Object.fromEntries(
      [...pages, ...operations, ...events].map((page) => [
        `${page.name || "index"}.md`,
        `${page.markdown.trim()}\n`,
      ]),
    ),
    ...Object.fromEntries(
      [...pages, ...events].map((page) => [
        `${page.name || "index"}.html`,
        renderHtml(page, pages),
      ]),
    ),
  };
}

/** Adds the docs and the OpenAPI document to the build, so that the daemon only sends files. */
export const docs: Plugin = {
  name: "docs",
  async generateBundle() {
    const document = JSON.stringify(await describeRoutes());
    this.emitFile({ type: "asset", fileName: "openapi.json", source: document });
    for (const [name, source] of Object.entries(await createDocs()))
      this.emitFile({ type: "asset", fileName: `docs/${name}`, source });
  },
};
