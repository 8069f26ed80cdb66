import { expect, test } from "vitest";
import type { Caller } from "../../../src/features/mcp/caller.ts";
import { listTools, type Tool, toSearch } from "../../../src/features/mcp/tool.ts";

test("arguments become a query: lists with commas, objects as JSON, and null as nothing", () => {
  const search = toSearch({ words: "a b", limit: 3, ids: ["x", "y"], by: { a: 1 }, left: null });
  expect([...new URLSearchParams(search)]).toEqual([
    ["words", "a b"],
    ["limit", "3"],
    ["ids", "x,y"],
    ["by", '{"a":1}'],
  ]);
  expect(toSearch({ left: null })).toBe("");
});

test.each([
  ["of a server without a key must name", undefined, false, true, true],
  ["of a server with a key can name", undefined, true, true, false],
  ["of one business does not name", "salon", false, false, false],
])("a call %s the business", (_case, slug, hasKey, isNamed, isRequired) => {
  const tool: Tool = {
    name: "look",
    title: "Look",
    description: "Looks.",
    describeArguments: () => ({ properties: {} }),
    call: async () => ({}),
  };
  const caller = { slug, key: hasKey ? { scopes: [] } : undefined } as unknown as Caller;
  const [listed] = listTools([tool], caller) as [
    { inputSchema: { properties: object; required?: string[] } },
  ];
  expect("business" in listed.inputSchema.properties).toBe(isNamed);
  expect(listed.inputSchema.required ?? []).toEqual(isRequired ? ["business"] : []);
});
