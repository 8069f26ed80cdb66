/** @jsxImportSource preact */
import { hash } from "node:crypto";
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { Document } from "../../pages/document.tsx";
import { writeTheme } from "../../pages/theme.ts";
import { type HttpResponse, type RawHeaders, respondBytes } from "../pipeline/request-context.ts";
import { pathsOfPageFiles } from "./page-files.ts";
import type { PageError, PageLocation, PageRequest } from "./page-request.ts";

export type Page = {
  status?: number;
  /** The language of the fixed texts. */
  language: string;
  title: string;
  description?: string;
  content: ComponentChildren;
  /**
   * The data, as JSON, from which the page's script renders the same content. Anyone can read them
   * in the source of the page. A page without props has no script.
   */
  props?: object;
  /** Whether the page has a form that works without scripts. */
  hasForms?: boolean;
  /** The colour of buttons and links, such as #aa3366. */
  accent?: string | null;
  /** The URLs of the images of other origins that the page shows. */
  imageUrls?: readonly string[];
  /** The origins of the websites that may show the page in a frame. */
  embedOrigins?: readonly string[];
  /** More elements of the head, such as links to the page in other languages. */
  head?: ComponentChildren;
  /** JSON-LD about what the page shows, for search engines. */
  structuredData?: object;
  /** Whether the page is for one person or shows what search engines must not list. */
  isPrivate: boolean;
  /** More headers, such as Set-Cookie. */
  headers?: RawHeaders;
};

const NONE: readonly string[] = [];
/** Proxies reject long headers, so images of further origins are not shown. */
const MAX_IMAGE_ORIGINS = 30;

/**
 * Returns the content security policy of a page. It forbids inline code, code made of text, other
 * origins except for images, and framing by websites that the business does not name.
 * @param theme the style in the document, which its hash allows
 */
function policyOf(page: Page, theme: string | null): string {
  const { hasForms = false, imageUrls = NONE, embedOrigins = NONE } = page;
  const origins = new Set(imageUrls.map(originOf).filter((origin) => origin !== undefined));
  const images = [...origins].slice(0, MAX_IMAGE_ORIGINS);
  const themeHash = theme && ` 'sha256-${hash("sha256", theme, "base64")}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${themeHash ?? ""}`,
    "connect-src 'self'",
    `img-src ${["'self'", "data:", ...images].join(" ")}`,
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    `frame-ancestors ${embedOrigins.length === 0 ? "'none'" : embedOrigins.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/**
 * Returns the origin of a URL. Returns undefined if the host has a character such as `;`, which
 * URLs allow, but which would begin another rule of the policy.
 */
function originOf(url: string): string | undefined {
  const { origin = "" } = URL.parse(url) ?? {};
  return /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/.test(origin) ? origin : undefined;
}

/** Neither a cache nor a search engine keeps a page of one person. */
const PRIVATE: RawHeaders = ["cache-control", "no-store", "x-robots-tag", "noindex, nofollow"];
const SHARED: RawHeaders = ["cache-control", "public, no-cache"];

/** A page as HTML, with the headers that every response with the page needs. */
export type RenderedPage = { html: string; headers: RawHeaders };

/** Renders a page. The renderer escapes all text, so no page writes HTML itself. */
export function renderPage(location: PageLocation, page: Page): RenderedPage {
  const { language, title, description, props, head, structuredData } = page;
  const theme = page.accent ? writeTheme(page.accent) : null;
  const html = renderToString(
    <Document
      language={language}
      title={title}
      description={description}
      props={props}
      theme={theme}
      head={head}
      files={pathsOfPageFiles(location)}
    >
      {page.content}
    </Document>,
  );
  return {
    html: `<!doctype html>${structuredData ? insertData(html, structuredData) : html}`,
    headers: [
      "content-language",
      language,
      "content-security-policy",
      policyOf(page, theme),
      "cross-origin-opener-policy",
      "same-origin",
      // Paths can have secrets, so browsers send the origin alone. With `no-referrer`, browsers
      // would send `Origin: null` with forms, and the server could not accept a form from a browser
      // that sends no Sec-Fetch-Site.
      "referrer-policy",
      "strict-origin",
    ],
  };
}

const END_OF_HEAD = "</head>";

/**
 * Returns a document with JSON-LD in its head. Browsers do not decode entities in a script element,
 * so escapes of JSON replace the characters that could end the element.
 */
function insertData(html: string, data: object): string {
  const json = JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const headEnd = html.indexOf(END_OF_HEAD);
  return `${html.slice(0, headEnd)}<script type="application/ld+json">${json}</script>${html.slice(headEnd)}`;
}

export function respondWithPage(
  request: Omit<PageRequest, "rt" | "deps">,
  page: Page,
): HttpResponse {
  const { html, headers } = renderPage(request, page);
  const type = "text/html; charset=utf-8";
  return respondBytes(request.context, page.status ?? 200, type, Buffer.from(html), [
    ...headers,
    ...(page.isPrivate ? PRIVATE : SHARED),
    ...(page.headers ?? []),
  ]);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Responds with the message of an error and its fix, in English like all errors. */
export const respondWithErrorPage = (
  request: PageRequest,
  { status, message, fix }: PageError,
): HttpResponse =>
  respondWithPage(request, {
    status,
    language: "en",
    title: "This did not work",
    isPrivate: true,
    content: (
      <main>
        <h1>This did not work</h1>
        <p>{message}</p>
        {fix !== undefined && <p>{capitalized(fix)}.</p>}
      </main>
    ),
  });
