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
import { respondNotFound } from "./not-found.tsx";
import { originOf, parsePage, pathsOf } from "./paths.ts";
import { createPublicPageStore, type MappedBusiness } from "./store.ts";
import { textsOf } from "./texts.ts";
import { Pager, urlOfPage } from "./view/frame.tsx";

const CACHE_HEADERS = ["cache-control", "public, no-cache"];

/** The most businesses of a page of the list, which renders in less than 2 ms. */
const PER_PAGE = 100;
/** The most businesses of a sitemap, which is written in less than 2 ms. */
const PER_SITEMAP = 250;

const publishedIn = (rt: Runtime) => rt.openStore(createPublicPageStore);

const parsePageOf = (context: RequestContext): number | undefined =>
  parsePage(new URLSearchParams(context.request.search));

/** Returns the part of the published businesses that a page shows. @param page from 1 */
const partOf = (page: number, size: number) => ({ limit: size, offset: (page - 1) * size });

/**
 * Shows the list of published businesses. Redirects to the page of a single business, and to the
 * documentation if no business is published.
 */
export function sendHome(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  const published = publishedIn(rt);
  const [first, second] = published.listPublished(partOf(1, 2));
  if (first === undefined) return redirect(context, `${base}/docs`);
  if (second === undefined) return redirect(context, `${base}/b/${first.slug}`);
  // The URLs of page files contain a slug, and any slug leads to the same files.
  const location = { context, feature: "public-pages", slug: first.slug, base };
  const page = parsePageOf(context) ?? 1;
  const businesses = published.listPublished(partOf(page, PER_PAGE));
  if (businesses.length === 0) return respondNotFound(location);
  const acceptLanguage = getHeader(context.request, "accept-language");
  const language = choosePageLanguage(acceptLanguage, [first.locale]);
  const texts = textsOf(language);
  return respondWithPage(location, {
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
        <Pager
          texts={texts}
          page={page}
          pages={Math.ceil(published.countPublished() / PER_PAGE)}
          urlOf={(other) => urlOfPage(`${base}/`, other)}
        />
      </main>
    ),
  });
}

const redirect = (context: RequestContext, location: string): HttpResponse =>
  respond(context, 302, ["location", location, "content-length", "0"]);

const createNotFoundError = (): AppError =>
  new AppError("route_not_found", "No route matches this path; see /docs for the routes.");

export function sendRobots(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  // A server without a published business has nothing that search engines could find.
  if (publishedIn(rt).listPublished(partOf(1, 1)).length === 0) throw createNotFoundError();
  const { publicUrl } = rt.config.http;
  const lines = ["User-agent: *", `Disallow: ${base}/v1/`, "Allow: /"];
  if (publicUrl !== "") lines.push("", `Sitemap: ${publicUrl}/sitemap.xml`);
  const body = Buffer.from(`${lines.join("\n")}\n`);
  return respondBytes(context, 200, "text/plain; charset=utf-8", body, CACHE_HEADERS);
}

/**
 * Sends the sitemap. The sitemap of many businesses is an index of further sitemaps, which have
 * `?page=` in their URLs, so that no request reads all businesses.
 */
export function sendSitemap(rt: Runtime, context: RequestContext, base: string): HttpResponse {
  const published = publishedIn(rt);
  const origin = originOf(rt);
  const chosenPage = parsePageOf(context);
  const sitemaps = Math.ceil(published.countPublished() / PER_SITEMAP);
  const page = chosenPage ?? 1;
  if (page > sitemaps) throw createNotFoundError();
  if (chosenPage === undefined && sitemaps > 1) {
    const entries = Array.from({ length: sitemaps }, (_, i) =>
      writeLocation("sitemap", `${origin}${base}/sitemap.xml?page=${i + 1}`),
    );
    return respondWithXml(context, "sitemapindex", entries);
  }
  const entries = published
    .listMapped(partOf(page, PER_SITEMAP))
    .flatMap((business) =>
      listPaths(business, base).map((path) =>
        writeLocation("url", origin + path, business.updatedAt),
      ),
    );
  return respondWithXml(context, "urlset", entries);
}

/** @param updatedAt when the content behind the URL last changed (epoch ms) */
function writeLocation(name: "url" | "sitemap", url: string, updatedAt?: number): string {
  const date = updatedAt === undefined ? "" : new Date(updatedAt).toISOString().slice(0, 10);
  const lastChange = date && `<lastmod>${date}</lastmod>`;
  return `<${name}><loc>${escapeHtml(url)}</loc>${lastChange}</${name}>`;
}

function respondWithXml(
  context: RequestContext,
  root: "urlset" | "sitemapindex",
  entries: readonly string[],
): HttpResponse {
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${root}>\n`,
  );
  return respondBytes(context, 200, "application/xml; charset=utf-8", body, CACHE_HEADERS);
}

/** Returns the paths of the first page of a business, and of its lists that are not empty. */
function listPaths(business: MappedBusiness, base: string): string[] {
  const path = `${base}/b/${business.slug}`;
  const paths = pathsOf(path);
  return [
    path,
    ...(business.hasDishes ? [paths.menu] : []),
    ...(business.hasServices ? [paths.services] : []),
    ...(business.hasEvents ? [paths.events] : []),
  ];
}
