import { shellQuote } from "../../src/domain/text.ts";
import { codeBlock } from "./markdown.ts";
import type { Parameter, Route } from "./reference.ts";

// Each operation has a sample for curl. An operation of a business has two more samples: for the
// client `deskbell-client`, and for the Python function `call`. The guide defines the client and
// the function.

const BUSINESS_PATH = "/v1/businesses/{businessSlug}";

/** What a sample needs to know of an operation. `isKeyed`: the operation needs an API key. */
type Sample = Route & { parameters: readonly Parameter[]; isKeyed: boolean };

export function renderSamples(sample: Sample): string {
  const samples = [codeBlock("sh", sampleOfCurl(sample), "curl")];
  if (sample.path.startsWith(BUSINESS_PATH) && !returnsText(sample))
    samples.push(
      codeBlock("ts", sampleOfClient(sample), "TypeScript"),
      codeBlock("python", sampleOfPython(sample), "Python"),
    );
  return samples.join("\n\n");
}

/**
 * Returns whether an operation responds with text, such as the feed of a calendar. Clients of the
 * API read JSON only.
 */
const returnsText = ({ operation }: Sample): boolean =>
  Object.values(operation.responses ?? {}).some(
    (response) =>
      "content" in response &&
      Object.keys(response.content ?? {}).some((type) => type.startsWith("text/")),
  );

const bodyOf = ({ operation }: Sample): { type: string; example: object } | undefined => {
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  return content?.[1].example === undefined
    ? undefined
    : { type: content[0], example: content[1].example as object };
};

/** Returns the body of a sample, unless the body is empty and can be left out. */
function neededBodyOf(sample: Sample): object | undefined {
  const body = bodyOf(sample)?.example;
  const isNeeded = sample.operation.requestBody?.required ?? false;
  return body === undefined || isNeeded || Object.keys(body).length > 0 ? body : undefined;
}

/** Returns the path and query, with the example of each parameter as its value. */
function addressOf({ path, parameters }: Sample): string {
  const filled = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce(
      (filled, { name, example }) =>
        filled.replace(`{${name}}`, encodeURIComponent(String(example ?? name))),
      path,
    );
  const query = queryOf(parameters).map(
    ({ name, example }, i) =>
      `${i === 0 ? "?" : "&"}${name}=${encodeURIComponent(String(example))}`,
  );
  return `${filled}${query.join("")}`;
}

const queryOf = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter((parameter) => parameter.in === "query" && parameter.example !== undefined);

function sampleOfCurl(sample: Sample): string {
  const { method, isKeyed, parameters } = sample;
  const needsIdempotencyKey = parameters.some(
    ({ name, required }) => name === "Idempotency-Key" && required,
  );
  const options = [
    method === "get" ? "" : ` -X ${method.toUpperCase()}`,
    isKeyed ? ' -H "Authorization: Bearer $KEY"' : "",
    needsIdempotencyKey ? ' -H "Idempotency-Key: $(openssl rand -hex 16)"' : "",
  ].join("");
  const first = `curl${options}${options && " \\\n "} "{{base}}${addressOf(sample)}"`;
  const body = bodyOf(sample);
  if (body === undefined) return first;
  return `${first} \\\n  -H "Content-Type: ${body.type}" -d ${shellQuote(JSON.stringify(body.example))}`;
}

/** Returns a call of the client, whose methods have the names of the operations. */
function sampleOfClient(sample: Sample): string {
  const { operation, parameters } = sample;
  const values = [
    ...parameters.filter(({ name, in: place }) => place === "path" && name !== "businessSlug"),
    ...queryOf(parameters),
  ].map(({ name, example, schema }) => [
    name,
    schema?.type === "array" ? String(example).split(",") : example,
  ]);
  const body = neededBodyOf(sample);
  const given: object = { ...Object.fromEntries(values), ...(body && { body }) };
  const argument = Object.keys(given).length === 0 ? "" : writeValue(given, TYPESCRIPT);
  return `await client.${operation.operationId}(${argument});`;
}

function sampleOfPython(sample: Sample): string {
  const path = addressOf(sample).replace(/^\/v1\/businesses\/[^/?]+/, "");
  const body = neededBodyOf(sample);
  const values = [sample.method.toUpperCase(), path].map((text) => JSON.stringify(text));
  if (body !== undefined) values.push(writeValue(body, PYTHON));
  return `call(${values.join(", ")})`;
}

type Language = { nameOf: (key: string) => string; words: Record<string, string> };

const TYPESCRIPT: Language = {
  nameOf: (key) => (/^[a-z]\w*$/i.test(key) ? key : JSON.stringify(key)),
  words: {},
};
const PYTHON: Language = {
  nameOf: (key) => JSON.stringify(key),
  words: { true: "True", false: "False", null: "None" },
};

const MAX_LINE_CHARACTERS = 80;

/** Writes a value as a literal of the language: on one line, or with a line for each member. */
function writeValue(value: unknown, language: Language, indent = ""): string {
  const members = membersOf(value, language);
  if (members === undefined) {
    const text = JSON.stringify(value);
    return language.words[text] ?? text;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"];
  const write = (indent: string) =>
    members.map(([name, member]) => `${name}${writeValue(member, language, indent)}`);
  const line = `${open}${write(indent).join(", ")}${close}`;
  if (members.length === 0) return Array.isArray(value) ? "[]" : "{}";
  if (line.length + indent.length <= MAX_LINE_CHARACTERS && !line.includes("\n")) return line;
  const deeper = `${indent}  `;
  return `${open.trim()}\n${write(deeper)
    .map((member) => `${deeper}${member},\n`)
    .join("")}${indent}${close.trim()}`;
}

function membersOf(
  value: unknown,
  { nameOf }: Language,
): [name: string, member: unknown][] | undefined {
  if (Array.isArray(value)) return value.map((item) => ["", item]);
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).map(([key, member]) => [`${nameOf(key)}: `, member]);
}
