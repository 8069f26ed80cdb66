import { definePages } from "../../http/pages/pages.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import type { WantedPage } from "./build-page.tsx";
import { serverPages } from "./server-pages.ts";

const load = (kind: WantedPage["kind"]) => async () => {
  const { pagesOf } = await import("./serve-pages.ts");
  return (request: PageRequest) => pagesOf(request.rt).respond(request, kind);
};

/**
 * Serves the first page, and also `/b/{slug}.md` and `/b/{slug}.jsonld`, which cannot be routes of
 * their own, because a parameter of a path takes a whole segment.
 */
const loadFirstPage = async () => {
  const [{ pagesOf }, { respondNotFound }] = await Promise.all([
    import("./serve-pages.ts"),
    import("./not-found.tsx"),
  ]);
  return (request: PageRequest) => {
    const dot = request.slug.indexOf(".");
    if (dot === -1) return pagesOf(request.rt).respond(request, "business");
    const kind = KIND_OF_SUFFIX[request.slug.slice(dot)];
    if (kind === undefined) return respondNotFound(request);
    return pagesOf(request.rt).respond({ ...request, slug: request.slug.slice(0, dot) }, kind);
  };
};

const KIND_OF_SUFFIX: Record<string, WantedPage["kind"]> = {
  ".md": "markdown",
  ".jsonld": "jsonld",
};

const loadEvent = async () => {
  const { pagesOf } = await import("./serve-pages.ts");
  return (request: PageRequest) => {
    const event = request.context.request.params["event"] ?? "";
    return pagesOf(request.rt).respond(request, "event", event);
  };
};

export const pages = [
  definePages("public-pages", [
    { path: "", load: loadFirstPage },
    { path: "menu", load: load("menu") },
    { path: "services", load: load("services") },
    { path: "events", load: load("events") },
    { path: "events.ics", load: load("calendar") },
    { path: "events/:event", load: loadEvent },
  ]),
  serverPages,
];
