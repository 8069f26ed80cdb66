import { expect, test } from "vitest";
import { createDocs } from "../../../../.config/docs.ts";
import { type Entry, findEntries, stemOf, wordsOf } from "../../../../.config/docs/search.ts";
import { ALL_EVENT_TYPES } from "../../../../src/domain/events/event-types.ts";
import { HTTP_CODES } from "../../../../src/http/pipeline/problem-codes.ts";
import { isPublished, ROUTES } from "../../../support/routes.ts";
import { EVERYDAY_WORDS } from "./everyday-words.ts";

const docs = await createDocs();
const index = JSON.parse(docs["search.json"] ?? "") as Entry[];

const guides = Object.keys(docs).flatMap((name) =>
  name.endsWith(".html") && !name.startsWith("events/") && name !== "index.html"
    ? [`/docs/${name.replace(".html", "")}`]
    : [],
);

/** Everything that the search must find, with the address to which a result leads. */
const WANTED = [
  ...ROUTES.map(({ operationId }) => ({ name: operationId, url: `/docs#${operationId}` })),
  ...ALL_EVENT_TYPES.filter(isPublished).map((type) => ({
    name: type,
    url: `/docs#event-${type}`,
  })),
  ...HTTP_CODES.map((code) => ({ name: code, url: `/docs#problem-${code}` })),
  ...guides.map((url) => ({ name: url, url })),
];

const find = (query: string) => findEntries(index, query).map(({ url }) => url);

test("a search for the name of an operation, event type or problem code finds its section first", () => {
  const named = WANTED.filter(({ url }) => url.includes("#"));
  expect(named.filter(({ name, url }) => find(name)[0] !== url)).toEqual([]);
});

test("a search for the title of a guide finds this guide first", () => {
  const titles = guides.map((url) => {
    const markdown = docs[`${url.slice("/docs/".length)}.md`] ?? "";
    return { url, title: /^# (.+)$/m.exec(markdown)?.[1] ?? "" };
  });
  expect(titles.filter(({ url, title }) => find(title)[0] !== url)).toEqual([]);
});

test("search finds each operation, event type, problem code and guide by two everyday words or phrases", () => {
  const searches = WANTED.map(({ name, url }) => ({ url, queries: EVERYDAY_WORDS[name] ?? [] }));
  expect(searches.filter(({ queries }) => queries.length !== 2)).toEqual([]);
  const failed = searches.flatMap(({ url, queries }) =>
    queries.filter((query) => !find(query).includes(url)).map((query) => `${query} -> ${url}`),
  );
  expect(failed).toEqual([]);
});

test("search finds the sections of guides, and shows nothing for nonsense", () => {
  expect(find("ruby receiver")).toContain("/docs#verifying-signatures");
  expect(find("retry schedule")).toContain("/docs#retries");
  expect(find("qwertz")).toEqual([]);
  expect(find(" ")).toEqual([]);
});

test.each([
  ["cancel", ["cancels", "cancelled", "canceled", "cancelling"]],
  ["category", ["categories"]],
  ["price", ["prices", "priced", "pricing"]],
])("the forms of the word %s have one stem", (word, forms) => {
  expect(new Set([word, ...forms].map(stemOf)).size).toBe(1);
});

test("the docs search finds a name such as listServices by the whole name and by its parts", () => {
  expect(wordsOf("listServices of menu_item.updated")).toEqual([
    "listservices",
    "list",
    "services",
    "of",
    "menu",
    "item",
    "updated",
  ]);
});

test("the index of the search is less than 24 KB compressed", async () => {
  const { gzipSync } = await import("node:zlib");
  expect(gzipSync(docs["search.json"] ?? "").length).toBeLessThan(24 * 1024);
});
