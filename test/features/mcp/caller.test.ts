import { expect, test } from "vitest";
import { type Caller, chooseBusiness } from "../../../src/features/mcp/caller.ts";

const choose = (caller: Partial<Caller>, wanted?: unknown) =>
  chooseBusiness({ slug: undefined, key: undefined, ...caller } as Caller, wanted);
const key = { businessSlug: "of-the-key" } as Caller["key"];

test("an MCP call uses the business in its path, else the business that it names, else the business of its key", () => {
  expect(choose({ slug: "of-the-path", key }, "named")).toBe("of-the-path");
  expect(choose({ key }, "named")).toBe("named");
  expect(choose({ key }, "")).toBe("of-the-key");
  expect(choose({ key })).toBe("of-the-key");
});

test("a call without a business and without a key is refused, and the error says what to send", () => {
  expect(() => choose({})).toThrow(
    expect.objectContaining({
      issues: [
        expect.objectContaining({
          code: "missing_parameter",
          parameter: "business",
          detail: expect.stringContaining("send the slug of a business"),
        }),
      ],
    }),
  );
});
