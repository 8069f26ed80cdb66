import { expect, test } from "vitest";
import type { PageDeps } from "../../src/http/pipeline/route.ts";
import { PAGES, ROUTES } from "../support/routes.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

/**
 * Paths that name no business. Every server answers them with the same content or with data about
 * itself. `/calendars/:file` is the former path of calendar feeds.
 */
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

/**
 * Routes that are not below one business. If there are several servers, a proxy serves these routes
 * below `/servers/{name}/`.
 */
const OF_ALL_BUSINESSES = /^\/v1\/(?:businesses$|changes$|webhooks(?:\/|$)|deliveries\/)/;

test("a proxy can route every path by the slug of its business", () => {
  const rt = createTestRuntime();
  // Creating the pages uses only `rt`, so the other dependencies may be missing.
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
