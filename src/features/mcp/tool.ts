import type { z } from "zod";
import { grants, type Scope } from "../../domain/api-key.ts";
import {
  type Parameters,
  type ParametersOf,
  parseParameters,
  text,
} from "../../http/pipeline/parameters.ts";
import { describeFields } from "./body-schema.ts";
import type { Caller } from "./caller.ts";

type JsonSchema = Record<string, unknown>;
export type Arguments = Record<string, unknown>;

/** A tool. Its texts are constant: no text of a catalog is ever part of them. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  /** The tool is offered to keys with one of these scopes, and to any client if undefined. */
  scopes?: readonly Scope[];
  /**
   * Whether only `/mcp` has the tool. `/b/{slug}/mcp` does not need it, because its business is
   * known.
   */
  isForServer?: true;
  /** Whether calls add objects or change existing ones; undefined if they only read. */
  writes?: "adds" | "changes";
  /** Returns the JSON Schema of the arguments besides `business`. */
  describeArguments: (caller: Caller) => { properties: JsonSchema; required?: string[] };
  call: (caller: Caller, args: Arguments) => Promise<object>;
};

const business = () =>
  text().describe("Slug of the business, from find_business; that of the API key by default");

/**
 * Returns the tools that the API key of a request may use, in the form in which clients get them.
 */
export const listTools = (tools: readonly Tool[], caller: Caller): object[] =>
  tools
    .filter(({ scopes }) => scopes === undefined || scopes.some((one) => hasScope(caller, one)))
    .filter(({ isForServer }) => isForServer === undefined || caller.slug === undefined)
    .map((tool) => describeTool(tool, caller));

const hasScope = ({ key }: Caller, scope: Scope): boolean =>
  key !== undefined && grants(key, scope);

function describeTool(tool: Tool, caller: Caller): object {
  const { name, title, description, isForServer, writes } = tool;
  const { properties, required = [] } = tool.describeArguments(caller);
  const takesBusiness = caller.slug === undefined && isForServer === undefined;
  const needsBusiness = takesBusiness && caller.key === undefined;
  const needed = [...(needsBusiness ? ["business"] : []), ...required];
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties: {
        ...(takesBusiness && { business: describeParameter(business()) }),
        ...properties,
      },
      ...(needed.length > 0 && { required: needed }),
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: writes === undefined,
      ...(writes !== undefined && { destructiveHint: writes === "changes" }),
      openWorldHint: false,
    },
  };
}

/** Returns the JSON Schemas of arguments that are parameters of the API, by their names. */
export const describeParameters = (parameters: Parameters): JsonSchema =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [name, describeParameter(schema)]),
  );

function describeParameter(schema: z.ZodType): JsonSchema {
  const { inputSchema, description } = schema.meta() ?? {};
  // A query contains only texts, so the schema of a parameter describes a text. A parameter that
  // has another type in JSON, such as an integer, states this type as `inputSchema`.
  const jsonSchema = (inputSchema as JsonSchema | undefined) ?? describeFields(schema);
  const texts = new Set(
    [description, jsonSchema["description"]].filter((about) => about !== undefined),
  );
  return { ...jsonSchema, ...(texts.size > 0 && { description: [...texts].join(". ") }) };
}

/**
 * Returns arguments as the query of an API request, so that the API checks them like any
 * parameters.
 */
export function toSearch(args: Arguments): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    // An argument that is null counts as left out.
    if (value !== null) query.set(name, toParameterText(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

function toParameterText(value: unknown): string {
  if (Array.isArray(value)) return value.join();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Parses arguments with the schemas of API parameters.
 * @throws AppError with every issue
 */
export const parseArguments = <P extends Parameters>(
  parameters: P,
  args: Arguments,
): ParametersOf<P> => parseParameters(parameters, toSearch(args));
