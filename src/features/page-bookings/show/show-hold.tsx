/** @jsxImportSource preact */
import { prepareBookableCatalog } from "../../../app/catalog/bookable-catalog.ts";
import type { Hold } from "../../../domain/bookings/hold.ts";
import { fillText } from "../../../pages/languages.ts";
import { localDateOf } from "../../../domain/local-time.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { retryWhileBusy } from "../../../http/pipeline/idempotency.ts";
import type { HttpResponse } from "../../../http/pipeline/request-context.ts";
import { needsApproval, takesBookings } from "../access.ts";
import { findTime } from "./find-times.ts";
import { choiceOfHold, confirmHold, findGuestHold, type GuestHold } from "../post/mail-holds.ts";
import { type BookingShop, openShop } from "./read-offer.ts";
import { redirect, respondToRefusal, respondWithShop, writeKept } from "./respond.tsx";
import { type Choice, fieldsOf, toRequest } from "../rules.ts";
import { isGoneError, urlOfOtherDays } from "./show-booking.tsx";
import { describeContent } from "./visit-view.ts";
import { fieldsToBook, keptFields, toQuery, urlOfStep } from "../urls.ts";
import { Facts } from "../view/visit.tsx";
import { Heading, Notice, Telephone } from "../view/parts.tsx";

// A link in a mail leads to the page of a hold. Opening the page changes nothing, because programs
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

/** Returns why a hold cannot be confirmed, as the name of a text; null if it can. */
async function findObstacle(
  request: PageRequest,
  { business }: BookingShop,
  { hold, isOpen, keptUntil }: GuestHold,
): Promise<"confirmLate" | "closed" | "taken" | "gone" | null> {
  if (!isOpen) return "confirmLate";
  if (!takesBookings(business)) return "closed";
  // Nobody else can take the time before `keptUntil`, so no further check is needed.
  if (keptUntil !== null) return null;
  const choice = choiceOfHold(request.rt, business, hold);
  const search = { request: toRequest(choice), audience: "PUBLIC" as const };
  try {
    const time = await findTime(request, business, search, hold.startsAt);
    if (time === undefined) return "taken";
    // The guest has asked for the time at the price of the hold, so another price counts as gone.
    return (time.totalCents ?? 0) === hold.totalCents ? null : "gone";
  } catch (error) {
    if (isGoneError(error)) return "gone";
    throw error;
  }
}

/**
 * Returns the texts that ask the guest to confirm the hold. If the business must approve the visit
 * afterwards, the texts speak of a request.
 */
const textsToConfirm = ({ shop, business, texts }: BookingShop, hold: Hold) =>
  needsApproval(business, hold)
    ? {
        title: texts.confirmRequestTitle,
        text: fillText(texts.confirmRequestText, { business: shop.profile.name }),
        button: texts.submitRequest,
      }
    : { title: texts.confirmTitle, text: texts.confirmText, button: texts.confirmYes };

/** Returns what a guest has chosen, with any staff member. */
function anyoneFor({ rt }: PageRequest, { business }: BookingShop, hold: Hold): Choice {
  const choice = choiceOfHold(rt, business, hold);
  return choice.kind === "table" ? choice : { ...choice, staffId: null };
}

/** Returns the URL of the free times, with any staff member, on the day of a hold. */
function urlOfTimes(request: PageRequest, page: BookingShop, hold: Hold): string {
  const anyone = anyoneFor(request, page, hold);
  const day = localDateOf(hold.startsAt, page.business.doc.timezone);
  return urlOfStep(page, [...fieldsOf(anyone), ["date", day], ...fieldsToBook(request, page)]);
}

async function respondWithHold(
  request: PageRequest,
  page: BookingShop,
  found: GuestHold,
): Promise<HttpResponse> {
  const { rt, context } = request;
  const { shop, business, texts } = page;
  const { hold } = found;
  const { startsAt, endsAt } = hold;
  const { title, text, button } = textsToConfirm(page, hold);
  const obstacle = await findObstacle(request, page, found);
  const refusedStatus = found.isOpen ? 409 : 410;
  const view = { ...describeContent(rt, business, hold, shop.locale), startsAt, endsAt };
  const path = `${shop.path}/v/${context.request.params["token"]}/confirm`;
  const query = toQuery(keptFields(request));
  return respondWithShop(request, page, {
    title,
    status: obstacle === null ? 200 : refusedStatus,
    content: (
      <>
        <Heading>{title}</Heading>
        {obstacle === null ? (
          <p>
            {text} {writeKept(page, found.keptUntil)}
          </p>
        ) : (
          <Notice kind="warn">{texts[obstacle]}</Notice>
        )}
        <Facts {...page} view={view} />
        {obstacle === null && (
          <form method="post" action={`${path}${query && `?${query}`}`} data-once>
            <button class="primary large" type="submit" data-busy={texts.sending}>
              {button}
            </button>
          </form>
        )}
        {obstacle !== null && obstacle !== "closed" && (
          <p>
            <a class="button primary" href={urlOfTimes(request, page, hold)}>
              {texts.anotherTime}
            </a>
          </p>
        )}
        <Telephone {...page} />
      </>
    ),
  });
}

/** Books the hold of a link, and redirects to the page of the visit, which has the same URL. */
export async function postConfirmation(request: PageRequest): Promise<HttpResponse> {
  const { rt, slug, base, context } = request;
  const opened = await openHold(request);
  const token = context.request.params["token"] ?? "";
  const query = toQuery(keptFields(request));
  const url = `${base}/b/${encodeURIComponent(slug)}/v/${encodeURIComponent(token)}${query && `?${query}`}`;
  // If the hold was confirmed before, its link leads to the visit.
  if (opened === undefined) return redirect(request, url);
  try {
    await prepareBookableCatalog(rt, opened.page.business);
    await retryWhileBusy(rt, () => {
      const business = rt.store.businesses.findBySlug(slug);
      return business !== undefined && confirmHold(rt, business, token);
    });
    return redirect(request, url);
  } catch (error) {
    const { page, found } = opened;
    const at = found.hold.startsAt;
    const anyone = anyoneFor(request, page, found.hold);
    const kept = fieldsToBook(request, page);
    const otherDaysUrl = urlOfOtherDays(page, anyone, at, kept);
    const refused = respondToRefusal(request, page, error, { at, otherDaysUrl });
    if (refused) return refused;
    // The page of the hold says why it cannot be booked.
    if (isGoneError(error)) return redirect(request, url);
    throw error;
  }
}
