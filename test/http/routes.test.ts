import { expect, test } from "vitest";
import type { PageDeps } from "../../src/http/pipeline/route.ts";
import { PAGES, ROUTES } from "../support/routes.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

/** Paths that every server answers alike, or for itself, and the former path of calendar feeds. */
const OF_NO_BUSINESS = [
  "/",
  "/robots.txt",
  "/sitemap.xml",
  "/embed.js",
  "/docs",
  "/docs/:file",
  "/docs/events/:file",
  "/docs.md",
  "/llms.txt",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/metrics",
  "/metrics/status",
  "/metrics/requests",
  "/calendars/:file",
  "/mcp",
  "/.well-known/mcp/server-card.json",
  "/mcp/server-card",
];

/** Routes that are not below one business. With several servers, each path has a server's name. */
const OF_ALL_BUSINESSES = /^\/v1\/(?:businesses$|changes$|webhooks(?:\/|$)|deliveries\/)/;

test("a proxy can route every path by the slug of its business", () => {
  const rt = createTestRuntime();
  // Creating a route uses nothing of the API.
  const pages = PAGES.flatMap((create) => create(rt, { rt } as unknown as PageDeps));
  const paths = [...ROUTES, ...pages].map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(40);
  const others = paths.filter(
    (path) =>
      !/^\/(?:v1\/businesses|b)\/:slug(?:\/|$)/.test(path) &&
      !OF_ALL_BUSINESSES.test(path) &&
      !OF_NO_BUSINESS.includes(path),
  );
  expect(others).toEqual([]);
});
