import { expect, test } from "vitest";
import { AppError } from "../../../src/domain/errors.ts";
import { list, parseParameters, text } from "../../../src/http/pipeline/parameters.ts";

const KNOWN = { ids: list(), name: text() };

function issuesOf(query: string): string[] {
  try {
    parseParameters(KNOWN, query);
  } catch (error) {
    if (error instanceof AppError) return error.issues.map(({ detail }) => detail);
    throw error;
  }
  return [];
}

test("a query that repeats one name 100,000 times is parsed in linear time", () => {
  const before = process.threadCpuUsage();
  expect(issuesOf("_&".repeat(100_000))).toEqual([]);
  const { user, system } = process.threadCpuUsage(before);
  // Quadratic parsing would take minutes.
  expect((user + system) / 1000).toBeLessThan(2000);
});

test("a query with more than 50 parameter names is rejected in one sentence", () => {
  const query = (count: number) => Array.from({ length: count }, (_, i) => `utm_${i}=x`).join("&");
  expect(issuesOf(query(50))).toEqual([]);
  expect(issuesOf(query(51))).toEqual([
    "The query has too many parameters: at most 50 different names are allowed.",
  ]);
});

test("one parameter can be repeated more than 50 times", () => {
  const query = Array.from({ length: 60 }, (_, i) => `ids=s${i}`).join("&");
  expect(parseParameters(KNOWN, query).ids).toHaveLength(60);
});

test("the message about invalid parameters names two issues and counts the others, which 'errors' lists", () => {
  const query = Array.from({ length: 20 }, (_, i) => `wrong${i}=1`).join("&");
  expect(() => parseParameters(KNOWN, query)).toThrow(
    /^Unknown parameter 'wrong0'\. Unknown parameter 'wrong1'\. 18 more in 'errors'\.$/,
  );
  expect(issuesOf(query)).toHaveLength(20);
});
