import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createDocs } from "../../../../.config/docs.ts";
import { ROUTES } from "../../../support/routes.ts";

const docs = await createDocs();

/** Returns the sample of an operation in a language; undefined if it has none. */
const sampleOf = (operation: string, title: string): string | undefined =>
  new RegExp(`^\`\`\`\\w+ ${title}\\n([^]*?)^\`\`\`$`, "m").exec(
    docs[`${operation}.md`] ?? "",
  )?.[1];

const KEYED = ROUTES.filter(
  ({ path, responses }) =>
    path.startsWith("/v1/businesses/:slug") && !responses[200]?.body?.startsWith("text/"),
);

type Called = { operation: string; argument: Record<string, unknown> | undefined };

/** Runs a sample with a client that only records the call. */
async function runSample(code: string): Promise<Called> {
  let called: Called | undefined;
  const client = new Proxy(
    {},
    {
      get: (_, operation) => async (argument?: Record<string, unknown>) => {
        called = { operation: String(operation), argument };
      },
    },
  );
  // The samples have no types, so JavaScript runs them.
  const run = new Function("client", `return (async () => {\n${code}})();`);
  await (run(client) as Promise<void>);
  return called!;
}

/** Returns the method, path and body of the call in the sample for curl. */
function parseCurl(code: string): [method: string, path: string, body: unknown] {
  const [, method = "GET"] = /-X (\w+)/.exec(code) ?? [];
  const [, path = ""] = /"\{\{base\}\}\/v1\/businesses\/[\w-]+([^"]*)"/.exec(code) ?? [];
  const [, body] = /-d '([^]*)'\n$/.exec(code) ?? [];
  return [method, path, body === undefined || body === "{}" ? undefined : JSON.parse(body)];
}

test("the sample for TypeScript calls the operation with the path, query and body of the curl sample", async () => {
  expect(KEYED.length).toBeGreaterThan(40);
  for (const { operationId } of KEYED) {
    const { operation, argument = {} } = await runSample(sampleOf(operationId, "TypeScript") ?? "");
    expect(operation).toBe(operationId);
    const [, path, body] = parseCurl(sampleOf(operationId, "curl") ?? "");
    const { body: sent, ...others } = argument;
    expect([operationId, sent]).toEqual([operationId, body]);
    for (const value of Object.values(others).flat())
      expect(path, operationId).toContain(encodeURIComponent(String(value)));
  }
});

test("the sample for Python sends the request of the curl sample", ({ skip }) => {
  const samples = KEYED.map(({ operationId }) => sampleOf(operationId, "Python") ?? "");
  const code = `import json\ncalls = []\ndef call(*given): calls.append(given)\n${samples.join("")}\nprint(json.dumps(calls))`;
  const { error, stdout, stderr } = spawnSync("python3", ["-"], { input: code, encoding: "utf8" });
  if (error) skip("needs python3");
  expect(stderr).toBe("");
  const expected = KEYED.map(({ operationId }) =>
    parseCurl(sampleOf(operationId, "curl") ?? "").filter((part) => part !== undefined),
  );
  expect(JSON.parse(stdout)).toEqual(expected);
});

test("an operation that is not for clients of a business has a sample for curl only", () => {
  expect(sampleOf("getHealth", "curl")).toContain("/healthz");
  expect(sampleOf("getHealth", "TypeScript")).toBeUndefined();
});
