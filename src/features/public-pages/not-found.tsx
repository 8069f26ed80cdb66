/** @jsxImportSource preact */
import type { PageRequest } from "../../http/pages/page-request.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import { getHeader, type HttpResponse } from "../../http/pipeline/request-context.ts";
import { choosePageLanguage } from "../../pages/languages.ts";
import { textsOf } from "./texts.ts";

/** Responds with the same page for every slug, so that nobody learns which businesses exist. */
export function respondNotFound(request: Omit<PageRequest, "rt" | "deps">): HttpResponse {
  const acceptLanguage = getHeader(request.context.request, "accept-language");
  const language = choosePageLanguage(acceptLanguage, []);
  const texts = textsOf(language);
  return respondWithPage(request, {
    status: 404,
    language,
    title: texts.notFound,
    isPrivate: true,
    content: (
      <main class="not-found">
        <h1>{texts.notFound}</h1>
        <p>{texts.notFoundText}</p>
      </main>
    ),
  });
}
