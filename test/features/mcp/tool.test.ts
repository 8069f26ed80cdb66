import { expect, test } from "vitest";
import type { Caller } from "../../../src/features/mcp/caller.ts";
import { listTools, type Tool, toSearch } from "../../../src/features/mcp/tool.ts";

test("the arguments of a tool become a query with commas in lists, JSON for objects, and nothing for null", () => {
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
  ["at /mcp, called without a key, requires the argument business", undefined, false, true, true],
  ["at /mcp, called with a key, can have the argument business", undefined, true, true, false],
  ["at /b/{slug}/mcp has no argument business", "salon", false, false, false],
])("a tool %s", (_case, slug, hasKey, isNamed, isRequired) => {
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
