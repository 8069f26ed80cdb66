import { spawnSync } from "node:child_process";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { describeApi } from "../../../../.config/openapi/document.ts";
import { id } from "../../../../src/http/handlers/bookings/bodies.ts";
import { fc } from "../../../support/property.ts";
import { ROUTES } from "../../../support/routes.ts";

type Schema = { pattern?: string; items?: Schema; properties?: Record<string, Schema> };

const document = describeApi({ routes: ROUTES, version: "1.2.3" }) as unknown as {
  paths: Record<
    string,
    Record<string, { requestBody: { content: Record<string, { schema: Schema }> } }>
  >;
  components: { parameters: Record<string, { schema: Schema }> };
};

/** Returns every pattern in a part of the document. */
const patternsIn = (node: unknown): string[] =>
  typeof node !== "object" || node === null
    ? []
    : Object.entries(node).flatMap(([name, value]) =>
        name === "pattern" && typeof value === "string" ? [value] : patternsIn(value),
      );

const patterns = [...new Set(patternsIn(document))];

/** Matches the patterns that RE2 (Go, Rust), Python, Java, .NET and JavaScript read alike. */
const PORTABLE = (() => {
  const escape = String.raw`\\(?:x[0-9a-f]{2}|[.*+?^$|(){}\[\]\\/-])`;
  const set = String.raw`\[\^?(?:[\w ,:=/.-]|${escape})+\]`;
  const atom = String.raw`(?:[\w ,:=/-]|${escape}|${set}|\((?!\?)|\)|\|)`;
  return new RegExp(String.raw`^\^(?:${atom}(?:[*+?]|\{\d+(?:,\d*)?\})?)+\$?$`);
})();

test("each pattern of the OpenAPI document means the same in RE2 as in JavaScript", () => {
  expect(patterns.length).toBeGreaterThan(5);
  expect(patterns.filter((pattern) => !PORTABLE.test(pattern))).toEqual([]);
  const foreign = [
    "^(?=a)b$",
    "^(?!a)$",
    "^\\p{Cc}$",
    "^\\d+$",
    "^(a)\\1$",
    "^\\u0041$",
    "^a+?$",
    "^(?<n>a)$",
  ];
  expect(foreign.filter((pattern) => PORTABLE.test(pattern))).toEqual([]);
});

test("Python reads each pattern of the OpenAPI document", ({ skip }) => {
  const compile = "import json, re, sys; [re.compile(p) for p in json.load(sys.stdin)]";
  const run = (input: readonly string[]) =>
    spawnSync("python3", ["-c", compile], { input: JSON.stringify(input), encoding: "utf8" });
  if (run([]).status !== 0) skip("needs python3");
  expect(run(patterns)).toMatchObject({ status: 0, stderr: "" });
  expect(run(["^\\p{Cc}$"]).status).toBe(1);
});

test("the schema of an ID in a request limits only its length, and accepts every ID that the server accepts", () => {
  const { requestBody } = document.paths["/v1/businesses/{businessSlug}/holds"]!["post"]!;
  const { properties } = requestBody.content["application/json"]!.schema;
  const described = properties!["segments"]!.items!.properties!["serviceId"]!;
  expect(described).toEqual({
    type: "string",
    minLength: 1,
    maxLength: 60,
    description: "ID: one line of 1 to 60 characters",
  });
  const server = id();
  const isDocumented = new Ajv2020().compile(described);
  const text = fc.string({ unit: "binary", maxLength: 62 });
  const ids = fc.oneof(
    text,
    text.map((text) => `svc_${text}`),
    fc.constantFrom("svc_1", "é".repeat(60), "😀".repeat(60)),
  );
  let accepted = 0;
  fc.assert(
    fc.property(ids, (text) => {
      if (!server.safeParse(text).success) return;
      accepted += 1;
      expect(isDocumented(text)).toBe(true);
    }),
  );
  expect(accepted).toBeGreaterThan(10);
  expect(isDocumented("x".repeat(61))).toBe(false);
});

test.each([
  ["Idempotency-Key", ["a", "!~", "x".repeat(255)], ["", "a b", "é", "x".repeat(256)]],
  ["Visitor-Id", ["v-1", "x".repeat(64)], ["", "a b", "x".repeat(65)]],
  ["X-Service-Signature", [`t=1,v1=${"a".repeat(64)}`], ["t=1", `t=x,v1=${"a".repeat(64)}`]],
])("the pattern of the header %s matches its values only", (name, valid, invalid) => {
  const pattern = new RegExp(document.components.parameters[name]?.schema.pattern ?? "");
  expect([...valid, ...invalid].filter((value) => pattern.test(value))).toEqual(valid);
});
