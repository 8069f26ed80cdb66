import { expect, test } from "vitest";
import { notReachedError } from "../../../src/http/auth/access-check.ts";

test("the error for a path that names no business does not speak of a business in the path", () => {
  expect(notReachedError("cafe-lumen").message).toContain("the business in the path");
  expect(notReachedError("").message).not.toContain("the business in the path");
});
