import { expect, test } from "vitest";
import { describeApi } from "../../../../.config/openapi/document.ts";
import { ROUTES } from "../../../support/routes.ts";

type Parameter = { $ref?: string; name?: string; description?: string };
type Operation = { operationId: string; parameters: Parameter[] };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
};

const { paths, components } = describeApi({
  routes: ROUTES,
  version: "1.2.3",
}) as unknown as Document;

const operations = Object.values(paths)
  .flatMap((path) => Object.values(path))
  .map(({ operationId, parameters }) => ({
    operationId,
    parameters: parameters.map((parameter) =>
      parameter.$ref === undefined
        ? parameter
        : (components.parameters[parameter.$ref.split("/").at(-1) ?? ""] ?? parameter),
    ),
  }));

test("Idempotency-Key advises dryRun only where a route has this parameter", () => {
  const advised = operations.filter(({ parameters }) =>
    parameters.some(
      ({ name, description }) => name === "Idempotency-Key" && description?.includes("dryRun"),
    ),
  );
  const having = advised.filter(({ parameters }) =>
    parameters.some(({ name }) => name === "dryRun"),
  );
  expect(advised.length).toBeGreaterThan(0);
  expect(advised).toEqual(having);
});

test("Idempotency-Key of a rotation names the ten minutes in which it can be repeated", () => {
  const rotation = operations.find(({ operationId }) => operationId === "rotateKey");
  const key = rotation?.parameters.find(({ name }) => name === "Idempotency-Key");
  expect(key?.description).toContain("within 10 minutes");
});
