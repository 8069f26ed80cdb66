import { expect, test } from "vitest";
import { rememberLast } from "../../src/domain/remember-last.ts";

test("a result is computed again only when the input changes", () => {
  const inputs: string[] = [];
  const double = rememberLast((text) => {
    inputs.push(text);
    return text + text;
  });
  expect([double("a"), double("a"), double(""), double("a")]).toEqual(["aa", "aa", "", "aa"]);
  expect(inputs).toEqual(["a", "", "a"]);
});
