import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Generates the parts of the client that follow from the OpenAPI document: the types of the API,
// and the table of its operations. They are written to src/client/generated and not committed.

const ROOT = join(import.meta.dirname, "../..");
const GENERATED = join(ROOT, "src/client/generated");
const PROGRAM = join(
  ROOT,
  "node_modules/deskbell-client-types/node_modules/.bin/openapi-typescript",
);

/** Beginning of the paths that belong to one business. An API key can call no other paths. */
const BUSINESS = "/v1/businesses/{businessSlug}";

type Parameter = { $ref?: string; name?: string };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, { content?: object }>;
};
export type Document = { paths: Record<string, Record<string, Operation>> };

/** Returns the document with only the operations that the client offers. */
function selectOperations(document: Document): Document {
  const paths = Object.entries(document.paths)
    .filter(([path]) => path === BUSINESS || path.startsWith(`${BUSINESS}/`))
    .map(([path, methods]) => [path, selectJson(methods)] as const);
  return { ...document, paths: Object.fromEntries(paths) };
}

/**
 * Returns the operations that respond with JSON or nothing. Calendars are left out, because they
 * are files for phones. Error responses are removed from each operation, because all errors have
 * one type.
 */
const selectJson = (methods: Record<string, Operation>): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(methods)
      .filter(([, { responses }]) => {
        const { content } = responses["200"] ?? {};
        return content === undefined || "application/json" in content;
      })
      .map(([method, operation]) => {
        const responses = Object.entries(operation.responses).filter(([status]) => status < "400");
        return [method, { ...operation, responses: Object.fromEntries(responses) }];
      }),
  );

const takesIdempotencyKey = ({ parameters = [] }: Operation): boolean =>
  parameters.some(({ $ref = "" }) => /\/Idempotency-Key(?:-required|-of-rotation)?$/.test($ref));

/** Returns the source of the table of operations: method, path, and whether it takes an Idempotency-Key. */
export function writeOperations(document: Document): string {
  const lines = Object.entries(selectOperations(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const row = [
        method.toUpperCase(),
        path.slice(BUSINESS.length),
        takesIdempotencyKey(operation),
      ];
      return `  ${operation.operationId}: ${JSON.stringify(row)},\n`;
    }),
  );
  return `/** Each operation: its method, its path, and whether it takes an Idempotency-Key. */
export const OPERATIONS: {
${lines.map((line) => line.replace(/: \[.*/, ": Operation;")).join("")}} = {
${lines.join("")}};

type Operation = readonly [method: string, path: string, takesIdempotencyKey: boolean];
`;
}

/** Returns a value without the examples of an OpenAPI document, which types do not need. */
const withoutExamples = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      name === "example" ? [] : [[name, withoutExamples(part)]],
    ),
  );
};

function writeTypes(document: Document): string {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-types-"));
  try {
    const [from, to] = [join(folder, "openapi.json"), join(folder, "api.ts")];
    writeFileSync(from, JSON.stringify(withoutExamples(selectOperations(document))));
    execFileSync(process.execPath, [PROGRAM, from, "--output", to], { stdio: "pipe" });
    return readFileSync(to, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes the generated sources. Each file is written under another name and then renamed, because
 * other programs may read it at the same time.
 */
export function generateClient(document: object): void {
  mkdirSync(GENERATED, { recursive: true });
  const sources = {
    "operations.ts": writeOperations(document as Document),
    "api.ts": writeTypes(document as Document),
  };
  for (const [name, source] of Object.entries(sources)) {
    const path = join(GENERATED, name);
    writeFileSync(`${path}.${process.pid}`, source);
    renameSync(`${path}.${process.pid}`, path);
  }
}
