import { errorsAsMarkdown } from "./errors.ts";

// The parts of an OpenAPI 3.1 document that the page shows. The document is not validated; the
// renderer escapes every value.

export type Ref = { $ref: string };
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
};
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};
type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Ref)[];
  requestBody?: { required?: boolean; content: Content };
  responses?: Record<string, { description: string; content?: Content } | Ref>;
};

export type ApiDocument = {
  info: { title: string; version: string; summary?: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    [kind: string]: Record<string, unknown> | undefined;
  };
};

export function resolveRef<T extends object>(document: ApiDocument, node: T | Ref): T {
  if (!("$ref" in node) || typeof node.$ref !== "string") return node as T;
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref) ?? [];
  return (document.components?.[kind]?.[name] ?? {}) as T;
}

const EVENTS = "Events";
const LOCAL = "http://127.0.0.1:4100";

/** The OpenAPI document as the page shows it: events have their own group. */
export function toReference(document: ApiDocument, publicUrl: string): ApiDocument {
  const { webhooks = {}, tags = [] } = document;
  const events = {
    name: EVENTS,
    description: "Events that are sent to the webhook endpoints that subscribe to them.",
  };
  return {
    ...document,
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

/** Adds the guide and the errors to the introduction. */
export function withGuides(reference: ApiDocument, guide: string): ApiDocument {
  const { info } = reference;
  // Without a first heading, Scalar would hide all others below one of its own.
  const description = `# Overview\n\n${info.description ?? ""}\n\n${guide}\n${errorsAsMarkdown()}`;
  return { ...reference, info: { ...info, description } };
}

export const fillBase = (guide: string, publicUrl: string): string =>
  guide.replaceAll("{base}", () => publicUrl || LOCAL);

export const basePathOf = (publicUrl: string): string =>
  (URL.parse(publicUrl)?.pathname ?? "").replace(/\/+$/, "");

// Events are sent to the reader's server, so they have no client. Linked sections need no outline.
const CUSTOM_CSS = `
[id*="/webhook/"] .show-api-client-button { display: none; }
.section:focus-visible { outline: none; }
`;

/** Scalar's configuration. Everything that loads from other origins is off; the CSP forbids it. */
export const scalarConfiguration = (url: string): Record<string, unknown> => ({
  url,
  slug: "api",
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "none",
  // Forget a pasted key when the page is closed.
  persistAuth: false,
  authentication: { preferredSecurityScheme: "ApiKey" },
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  defaultOpenAllTags: true,
  hideModels: true,
  orderSchemaPropertiesBy: "preserve",
  customCss: CUSTOM_CSS,
});
