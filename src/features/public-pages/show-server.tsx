/** @jsxImportSource preact */
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { escapeHtml } from "../../domain/html.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import {
  getHeader,
  type HttpResponse,
  type RequestContext,
  respond,
  respondBytes,
} from "../../http/pipeline/request-context.ts";
import { choosePageLanguage } from "../../pages/languages.ts";
import { OutsideText } from "../../pages/outside-text.tsx";
import { pathsOf } from "./paths.ts";
import { createPublicPageStore, type PublishedBusiness } from "./store.ts";
import { textsOf } from "./texts.ts";

const CACHE_HEADERS = ["cache-control", "public, no-cache"];

const listPublished = (rt: Runtime): PublishedBusiness[] =>
  rt.openStore(createPublicPageStore).listPublished();

/**
 * Shows the list of published businesses. Redirects to the page of a single business, and to the
 * documentation if no business is published.
 */
export function sendHome(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  const businesses = listPublished(rt);
  const [first] = businesses;
  if (first === undefined) return redirect(context, `${base}/docs`);
  if (businesses.length === 1) return redirect(context, `${base}/b/${first.slug}`);
  const acceptLanguage = getHeader(context.request, "accept-language");
  const language = choosePageLanguage(acceptLanguage, [first.locale]);
  const texts = textsOf(language);
  return respondWithPage(
    // The URLs of page files contain a slug, and any slug leads to the same files.
    { context, feature: "public-pages", slug: first.slug, base },
    {
      language,
      title: texts.businesses,
      isPrivate: false,
      headers: ["vary", "Accept-Language"],
      content: (
        <main class="home">
          <h1>{texts.businesses}</h1>
          <ul>
            {businesses.map(({ slug, name, locale }) => (
              <li>
                <a class="card" href={`${base}/b/${slug}`} lang={locale}>
                  <OutsideText text={name} />
                </a>
              </li>
            ))}
          </ul>
        </main>
      ),
    },
  );
}

const redirect = (context: RequestContext, location: string): HttpResponse =>
  respond(context, 302, ["location", location, "content-length", "0"]);

/** A server without a published business has nothing that search engines could find. */
function assertPublished(businesses: readonly PublishedBusiness[]): void {
  if (businesses.length > 0) return;
  throw new AppError("route_not_found", "No route matches this path; see /docs for the routes.");
}

export function sendRobots(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  assertPublished(listPublished(rt));
  const { publicUrl } = rt.config.http;
  const lines = ["User-agent: *", `Disallow: ${base}/v1/`, "Allow: /"];
  if (publicUrl !== "") lines.push("", `Sitemap: ${publicUrl}/sitemap.xml`);
  const body = Buffer.from(`${lines.join("\n")}\n`);
  return respondBytes(context, 200, "text/plain; charset=utf-8", body, CACHE_HEADERS);
}

/** The most URLs that a sitemap may have. */
const MAX_URLS = 50_000;

export function sendSitemap(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  const businesses = listPublished(rt);
  assertPublished(businesses);
  const url = rt.config.http.publicUrl || rt.store.daemon.find()?.url;
  const origin = URL.parse(url ?? "")?.origin ?? "";
  const entries = businesses
    .flatMap((business) => listPaths(rt, business, base).map((path) => ({ path, ...business })))
    .slice(0, MAX_URLS)
    .map(
      ({ path, updatedAt }) =>
        `<url><loc>${escapeHtml(origin + path)}</loc><lastmod>${new Date(updatedAt).toISOString().slice(0, 10)}</lastmod></url>`,
    );
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</urlset>\n`,
  );
  return respondBytes(context, 200, "application/xml; charset=utf-8", body, CACHE_HEADERS);
}

/** Returns the paths of the first page of a business, and of its lists that are not empty. */
function listPaths(rt: Runtime, { slug }: PublishedBusiness, base: string): string[] {
  const path = `${base}/b/${slug}`;
  const business = rt.store.businesses.findBySlug(slug);
  const counts = business && rt.store.catalog.countByKind(business.id);
  const paths = pathsOf(path);
  return [
    path,
    ...(counts?.get("menu_item") ? [paths.menu] : []),
    ...(counts?.get("service") ? [paths.services] : []),
    ...(counts?.get("public_event") ? [paths.events] : []),
  ];
}
