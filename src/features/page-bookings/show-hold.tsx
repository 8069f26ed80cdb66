/** @jsxImportSource preact */
import { AppError } from "../../domain/errors.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import { retryWhileBusy } from "../../http/pipeline/idempotency.ts";
import type { HttpResponse } from "../../http/pipeline/request-context.ts";
import { fillText } from "../../pages/languages.ts";
import { confirmHold, findGuestHold, type GuestHold } from "./mail-holds.ts";
import { type BookingShop, openShop } from "./read-offer.ts";
import { redirect, respondToRefusal, respondWithShop } from "./respond.tsx";
import { describeContent } from "./visit-view.ts";
import { keptFields, toQuery } from "./urls.ts";
import { Facts } from "./view/visit.tsx";
import { Heading, Telephone } from "./view/parts.tsx";
import { writeTime } from "./when.ts";

// The page of a hold, to which a link in a mail leads. Opening it changes nothing, because programs
// that examine mails open links, too.

/** Shows a hold; undefined if the link leads to none. */
export async function showHold(request: PageRequest): Promise<HttpResponse | undefined> {
  const opened = await openHold(request);
  return opened && respondWithHold(request, opened.page, opened.found);
}

type Opened = { page: BookingShop; found: GuestHold };

async function openHold(request: PageRequest): Promise<Opened | undefined> {
  const { rt, slug, context } = request;
  const token = context.request.params["token"] ?? "";
  const business = rt.store.businesses.findBySlug(slug);
  const found = business && findGuestHold(rt, business, token);
  const page = found && (await openShop(request, found.language, () => null));
  return found && page && { page, found };
}

function respondWithHold(
  request: PageRequest,
  page: BookingShop,
  { hold, isOpen }: GuestHold,
): HttpResponse {
  const { rt, context } = request;
  const { shop, business, texts } = page;
  const { startsAt, endsAt } = hold;
  const view = { ...describeContent(rt, business, hold), startsAt, endsAt };
  const time = writeTime(shop, business.doc.timezone, hold.expiresAt);
  const path = `${shop.path}/v/${context.request.params["token"]}/confirm`;
  const query = toQuery(keptFields(request));
  return respondWithShop(request, page, {
    title: texts.confirmTitle,
    status: isOpen ? 200 : 410,
    content: (
      <>
        <Heading>{texts.confirmTitle}</Heading>
        <p>{isOpen ? fillText(texts.confirmText, { time }) : texts.confirmLate}</p>
        <Facts {...page} view={view} />
        {isOpen ? (
          <form method="post" action={`${path}${query && `?${query}`}`} data-once>
            <button class="primary large" type="submit" data-busy={texts.sending}>
              {texts.confirmYes}
            </button>
          </form>
        ) : (
          <p>
            <a class="button primary" href={`${shop.path}/book${query && `?${query}`}`}>
              {texts.bookAgain}
            </a>
          </p>
        )}
        <Telephone {...page} />
      </>
    ),
  });
}

/** Books the hold of a link, and leads to the page of the visit, which has the same URL. */
export async function postConfirmation(request: PageRequest): Promise<HttpResponse> {
  const { rt, slug, base, context } = request;
  const opened = await openHold(request);
  const token = context.request.params["token"] ?? "";
  const query = toQuery(keptFields(request));
  const url = `${base}/b/${encodeURIComponent(slug)}/v/${encodeURIComponent(token)}${query && `?${query}`}`;
  // A link that was confirmed already leads to the visit.
  if (opened === undefined) return redirect(request, url);
  try {
    await retryWhileBusy(rt, () => {
      const business = rt.store.businesses.findBySlug(slug);
      return business !== undefined && confirmHold(rt, business, token);
    });
    return redirect(request, url);
  } catch (error) {
    const refused = respondToRefusal(request, opened.page, error);
    if (refused) return refused;
    if (error instanceof AppError && error.code === "hold_expired") return redirect(request, url);
    throw error;
  }
}
