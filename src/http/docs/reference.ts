import { STATUS_CODES } from "node:http";
import { HTTP_CODES, HTTP_STATUS, type HttpCode } from "../pipeline/problems.ts";
import { ADVICE } from "./advice.ts";
import type { ApiDocument } from "./document.ts";

type Sources = {
  document: ApiDocument;
  /** The guide for partners, in Markdown. */
  guide: string;
  meanings: Record<HttpCode, string>;
  /** Empty: wherever the page was fetched from. */
  publicUrl: string;
};

const EVENTS = "Events";
const LOCAL = "http://127.0.0.1:4100";

/**
 * The API's description as it is read in a browser: with the guides in its introduction, the events in a group of their own
 * under their names, and requests that go to the page's own origin.
 */
export function toReference({ document, guide, meanings, publicUrl }: Sources): ApiDocument {
  const { info, webhooks = {}, tags = [] } = document;
  const guides = guide.replaceAll("{base}", () => publicUrl || LOCAL);
  const events = {
    name: EVENTS,
    description: "What is sent to the webhook endpoints that subscribe to it.",
  };
  return {
    ...document,
    // Beginning with a heading, or Scalar hides all others below one of its own.
    info: {
      ...info,
      description: `# Overview\n\n${info.description ?? ""}\n\n${guides}\n${errorGuide(meanings)}`,
    },
    servers: [{ url: basePathOf(publicUrl) || "/" }],
    tags: [...tags, events],
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([name, { post }]) => [
        name,
        { post: { ...post, tags: [EVENTS], summary: name } },
      ]),
    ),
  };
}

function errorGuide(meanings: Record<HttpCode, string>): string {
  const groups = Map.groupBy(HTTP_CODES, (code) => HTTP_STATUS[code]);
  const sections = [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => {
      const items = codes.map((code) => `- \`${code}\`: ${meanings[code]} ${ADVICE[code]}`);
      return `## ${status} ${STATUS_CODES[status]}\n\n${items.join("\n")}\n`;
    });
  return `# Errors

Every error is a problem document (RFC 9457, \`application/problem+json\`). Go by \`code\`: it stays, while \`detail\` is for people.
\`errors\` lists everything that is wrong with the request at once. \`requestId\` (also in the header \`Request-Id\`) finds it in the log.

${sections.join("\n")}`;
}

/** Where the API is below the origin that the browser sees; empty: right there. */
export const basePathOf = (publicUrl: string): string =>
  (URL.parse(publicUrl)?.pathname ?? "").replace(/\/+$/, "");

// An event is sent to the reader's server, not by the reader. A section that a link leads to needs no frame.
const CUSTOM_CSS = `
[id*="/webhook/"] .show-api-client-button { display: none; }
.section:focus-visible { outline: none; }
`;

/** What Scalar is told. Whatever it would fetch from elsewhere is off, and the page's policy would not let it. */
export const scalarConfiguration = (url: string): Record<string, unknown> => ({
  url,
  // Stands before whatever the page's address names after its #.
  slug: "api",
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "none",
  // A key that was pasted is forgotten with the page.
  persistAuth: false,
  authentication: { preferredSecurityScheme: "ApiKey" },
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  defaultOpenAllTags: true,
  hideModels: true,
  orderSchemaPropertiesBy: "preserve",
  customCss: CUSTOM_CSS,
});
