/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { Document } from "../../pages/document.tsx";
import { type HttpResponse, type RawHeaders, respondBytes } from "../pipeline/request-context.ts";
import { pathsOfPageFiles } from "./page-files.ts";
import type { PageError, PageRequest } from "./page-request.ts";

export type Page = {
  status?: number;
  /** The language of the fixed texts. */
  language: string;
  title: string;
  description?: string;
  content: ComponentChildren;
  /**
   * What the page's script receives, as JSON, with which it renders the same content. Everything in
   * it can be read in the source of the page. A page without it has no script.
   */
  props?: object;
  /** Whether the page has a form that works without scripts. */
  hasForms?: boolean;
  /** Whether the page is for one person or shows what search engines must not list. */
  isPrivate: boolean;
  /** More headers, such as Set-Cookie. */
  headers?: RawHeaders;
};

/**
 * Returns the content security policy of a page. It forbids inline code, code made of text, other
 * origins, and framing.
 */
const policyOf = ({ hasForms = false }: Page): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

/** Neither a cache nor a search engine keeps a page of one person. */
const PRIVATE: RawHeaders = ["cache-control", "no-store", "x-robots-tag", "noindex, nofollow"];
const SHARED: RawHeaders = ["cache-control", "public, no-cache"];

/** Responds with a page as HTML. The renderer escapes all text, so no page writes HTML itself. */
export function respondWithPage(request: PageRequest, page: Page): HttpResponse {
  const { context } = request;
  const { language, title, description, props } = page;
  const html = renderToString(
    <Document
      language={language}
      title={title}
      description={description}
      props={props}
      files={pathsOfPageFiles(request)}
    >
      {page.content}
    </Document>,
  );
  const body = Buffer.from(`<!doctype html>${html}`);
  return respondBytes(context, page.status ?? 200, "text/html; charset=utf-8", body, [
    "content-language",
    language,
    "content-security-policy",
    policyOf(page),
    "cross-origin-opener-policy",
    "same-origin",
    "referrer-policy",
    "no-referrer",
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
