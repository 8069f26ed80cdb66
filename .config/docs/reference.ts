// Types of the parts of an OpenAPI 3.1 document that the page shows.

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

/** An operation with its address. */
export type Route = { method: string; path: string; operation: Operation };

export const listRoutes = (document: ApiDocument): Route[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

export function resolveRef<T extends object>(document: ApiDocument, node: T | Ref): T {
  if (!("$ref" in node) || typeof node.$ref !== "string") return node as T;
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref) ?? [];
  return (document.components?.[kind]?.[name] ?? {}) as T;
}
