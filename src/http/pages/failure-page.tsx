/** @jsxImportSource preact */
import { CallButton } from "../../pages/call-button.tsx";
import { choosePageLanguage, fillText, type Translations } from "../../pages/languages.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { reportProblem } from "../pipeline/problems.ts";
import { getHeader, type HttpResponse } from "../pipeline/request-context.ts";
import type { PageRequest } from "./page-request.ts";
import { respondWithPage } from "./render-page.tsx";

type FailureTexts = { title: string; text: string; call: string };

const TEXTS: Translations<FailureTexts> = {
  en: {
    title: "This does not work right now",
    text: "The server has a fault. Please try again in a few minutes.",
    call: "Call {business}",
  },
  de: {
    title: "Das geht gerade nicht",
    text: "Der Server hat eine Störung. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
    call: "{business} anrufen",
  },
  fr: {
    title: "Cela ne fonctionne pas pour le moment",
    text: "Le serveur est en panne. Veuillez réessayer dans quelques minutes.",
    call: "Appeler {business}",
  },
  es: {
    title: "Esto no funciona en este momento",
    text: "El servidor tiene un fallo. Inténtelo de nuevo dentro de unos minutos.",
    call: "Llamar a {business}",
  },
  it: {
    title: "Al momento non funziona",
    text: "Il server ha un guasto. Riprova tra qualche minuto.",
    call: "Chiama {business}",
  },
};

/**
 * Responds to an error that only the operator can mend, such as a full disk. The reader learns
 * neither its message nor the names of files, but how to reach a business whose page is public.
 */
export function respondWithFailurePage(request: PageRequest, error: unknown): HttpResponse {
  const { rt, context } = request;
  const { status, headers } = reportProblem(rt, context, error);
  const business = findPublished(request);
  const { search } = context.request;
  const wanted = new URLSearchParams(search).get("lang") ?? "";
  const accepted = getHeader(context.request, "accept-language") ?? "";
  const language = choosePageLanguage(`${wanted},${accepted}`, business?.doc.locales ?? []);
  const { title, text, call } = TEXTS[language];
  const phone = business?.doc.phone ?? null;
  return respondWithPage(request, {
    status,
    language,
    title,
    isPrivate: true,
    embedOrigins: business?.doc.publicPage.embedOrigins ?? [],
    headers,
    content: (
      <main>
        <h1>{title}</h1>
        <p>{text}</p>
        {business !== undefined && phone !== null && (
          <p>
            <CallButton label={fillText(call, { business: business.doc.name })} phone={phone} />
          </p>
        )}
      </main>
    ),
  });
}

/** Returns the business of the path if its page is public and the database can be read. */
function findPublished({ rt, slug }: PageRequest): BusinessRow | undefined {
  try {
    const business = rt.store.businesses.findBySlug(slug);
    return business?.doc.publicPage.enabled === true ? business : undefined;
  } catch {
    return undefined;
  }
}
