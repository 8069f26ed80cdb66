/** @jsxImportSource preact */
import type { PublicEventDoc, TicketTypeDoc } from "../../../domain/catalog/catalog.ts";
import { AppError } from "../../../domain/errors.ts";
import { localise } from "../../../domain/public/public-context.ts";
import { totalOfPrices } from "../../../domain/money.ts";
import { type PublicEvent, ticketTypeId } from "../../../domain/public/public-event.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import { readBody } from "../../../http/pipeline/body.ts";
import { retryWhileBusy } from "../../../http/pipeline/idempotency.ts";
import type { HttpResponse } from "../../../http/pipeline/request-context.ts";
import { fillText } from "../../../pages/languages.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { respondNotFound } from "../../public-pages/not-found.tsx";
import { findTooMany, maxPerUnpaidOrder } from "../../tickets/orders/limits.ts";
import { findPageKey, takesBookings, visitorOf } from "../access.ts";
import { createNonce, isFormUsed } from "../post/book.ts";
import { maxQuotaShareOf, orderOnPage, payByOf, type TicketItem } from "../post/orders.ts";
import { readGuestForm } from "../post/read-form.ts";
import { type BookingShop, openShop } from "./read-offer.ts";
import { type Fields, keptFields, urlOfBooked, urlOfStep } from "../urls.ts";
import {
  bookedCookie,
  isUsedError,
  parseForm,
  redirect,
  respondClosed,
  respondToRefusal,
  respondUsed,
  respondWithShop,
} from "./respond.tsx";
import {
  EMPTY_FORM,
  type FormErrors,
  type GuestForm,
  isFormKey,
  KEY_BYTES,
  readTickets,
  readTotal,
  ticketField,
} from "../rules.ts";
import { CALLED_OFF } from "../texts.ts";
import { Details } from "../view/details.tsx";
import { TicketChoice, TicketSummary } from "../view/tickets.tsx";
import { writeShortDateTime } from "../when.ts";

type TicketPage = BookingShop & { content: PublicEvent };

/** Opens the page of an event's tickets, or returns the response if there is no such page. */
async function openTickets(
  request: PageRequest,
  query: URLSearchParams,
): Promise<TicketPage | { response: HttpResponse }> {
  const page = await openShop(request, null, (view, { locale }) => {
    const [doc] = view.select("public_event", { ids: [query.get("event") ?? ""] }).docs;
    if (doc === undefined) return null;
    return withPageLimits(view.business, doc, localise(view.forms.events(doc), locale));
  });
  if (!page?.business.doc.publicPage.enabled || page.content === null)
    return { response: respondNotFound(request) };
  if (!takesBookings(page.business)) return { response: respondClosed(request, page) };
  return { ...page, content: page.content };
}

/** Returns an event in which each `maxPerOrder` is the limit for an unpaid order of the page. */
const withPageLimits = (
  { slug, doc: { publicPage } }: BusinessRow,
  event: PublicEventDoc,
  shown: PublicEvent,
): PublicEvent => ({
  ...shown,
  ticketTypes: shown.ticketTypes.map((type) => {
    const doc = event.ticketTypes.find((one) => ticketTypeId(slug, event, one) === type.id);
    if (doc === undefined) return type;
    return { ...type, maxPerOrder: maxPerUnpaidOrder(event, doc, maxQuotaShareOf(publicPage)) };
  }),
});

const fieldsOf = (event: PublicEvent, items: readonly TicketItem[]): Fields => [
  ["event", event.id],
  ...items.map(({ ticketTypeId, quantity }) => [ticketField(ticketTypeId), `${quantity}`] as const),
];

/** Returns the tickets that the query names, except those of types that the event does not have. */
const itemsOf = (event: PublicEvent, query: URLSearchParams): TicketItem[] =>
  readTickets(query).filter(({ ticketTypeId }) =>
    event.ticketTypes.some(({ id }) => id === ticketTypeId),
  );

const totalOf = ({ ticketTypes }: PublicEvent, items: readonly TicketItem[]): number =>
  totalOfPrices(
    items.map(({ ticketTypeId, quantity }) => ({
      priceCents: ticketTypes.find(({ id }) => id === ticketTypeId)?.priceCents ?? 0,
      quantity,
    })),
  );

/** Shows the tickets of an event, or the details of an order. */
export async function showTickets(
  request: PageRequest,
  query: URLSearchParams,
): Promise<HttpResponse> {
  const page = await openTickets(request, query);
  if ("response" in page) return page.response;
  const { rt } = request;
  const items = itemsOf(page.content, query);
  if (items.length === 0 || query.has("change")) return respondWithChoice(request, page, items);
  const notice = writeTooMany(request, page, items);
  if (notice !== null) return respondWithChoice(request, page, items, { notice, status: 422 });
  const key = query.get("key");
  const kept = keptFields(request);
  if (!isFormKey(key)) {
    const newKey = rt.random(KEY_BYTES).toString("hex");
    const fields = [...fieldsOf(page.content, items), ["key", newKey] as const, ...kept];
    return redirect(request, urlOfStep(page, fields));
  }
  const keyId = findPageKey(rt, page.business);
  if (keyId !== undefined && isFormUsed(rt, keyId, key)) return respondUsed(request, page, key);
  if (CALLED_OFF[page.content.status]) return respondWithChoice(request, page, items);
  const state = { items, key, form: EMPTY_FORM, errors: {}, hasNewPrice: false, status: 200 };
  return respondWithOrder(request, page, state);
}

/** Returns why one order cannot have so many tickets; null if it can. */
function writeTooMany(
  { rt }: PageRequest,
  page: TicketPage,
  items: readonly TicketItem[],
): string | null {
  const { shop, business, texts, content } = page;
  const event = rt.store.catalog.findByKeyOrId(business.id, "public_event", content.id);
  if (event === undefined) return null;
  const idOf = (type: TicketTypeDoc): string => ticketTypeId(business.slug, event, type);
  const requested = event.ticketTypes.flatMap((type) =>
    items
      .filter((item) => item.ticketTypeId === idOf(type))
      .map(({ quantity }) => ({ type, quantity })),
  );
  const tooMany = findTooMany(event, requested, maxQuotaShareOf(business.doc.publicPage));
  if (tooMany === undefined) return null;
  const ids = tooMany.ofQuota.map(({ type }) => idOf(type));
  const names = content.ticketTypes.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return fillText(texts.mostTickets, { count: tooMany.limit, names: shop.format.list(names) });
}

type ChoiceState = {
  notice?: string | null;
  status?: number;
  /** What the guest has already written, and the URL to which it is sent with the new choice. */
  written?: { form: GuestForm; action: string } | null;
};

const respondWithChoice = (
  request: PageRequest,
  page: TicketPage,
  chosen: readonly TicketItem[],
  { notice = null, status = 200, written = null }: ChoiceState = {},
): HttpResponse =>
  respondWithShop(request, page, {
    status,
    title: page.content.name,
    content: (
      <TicketChoice
        {...page}
        event={page.content}
        path={`${page.shop.path}/book`}
        kept={keptFields(request)}
        chosen={chosen}
        notice={notice}
        written={written}
      />
    ),
  });

type OrderState = {
  items: readonly TicketItem[];
  key: string;
  form: GuestForm;
  errors: FormErrors;
  hasNewPrice: boolean;
  status: number;
};

function respondWithOrder(
  request: PageRequest,
  page: TicketPage,
  { items, key, form, errors, hasNewPrice, status }: OrderState,
): HttpResponse {
  const { shop, business, texts, content: event } = page;
  const kept = keptFields(request);
  const totalCents = totalOf(event, items);
  const total = { ...business.doc, cents: totalCents };
  const fields = [...fieldsOf(event, items), ...kept];
  const startsAt = Date.parse(event.startsAt);
  const time = writeShortDateTime(
    shop,
    business.doc.timezone,
    payByOf(business, { startsAt, endsAt: Date.parse(event.endsAt) }, request.context.now),
  );
  const changeUrl = urlOfStep(page, [...fields, ["change", "1"]]);
  return respondWithShop(request, page, {
    status,
    title: texts.details,
    content: (
      <Details
        {...page}
        summary={<TicketSummary {...page} event={event} items={items} total={total} />}
        form={form}
        errors={errors}
        at={startsAt}
        totalCents={totalCents}
        heldUntil={null}
        nearest={null}
        hasNewPrice={hasNewPrice}
        submit={{
          text: texts.submitOrder,
          note: fillText(texts.orderNote, { business: shop.profile.name, time }),
        }}
        timesUrl={changeUrl}
        action={urlOfStep(page, [...fields, ["key", key]])}
        nonce={createNonce(request.rt)}
      />
    ),
  });
}

/** Orders the tickets that a guest has chosen, and leads to the page of the order. */
export async function postTickets(
  request: PageRequest,
  query: URLSearchParams,
): Promise<HttpResponse> {
  const body = parseForm(await readBody(request.context));
  const page = await openTickets(request, query);
  if ("response" in page) return page.response;
  const { rt } = request;
  // A guest who had to choose again sends the new choice in the form, with the details written
  // before. Otherwise the choice is in the query.
  const isChoice = body.has("change");
  const items = itemsOf(page.content, isChoice ? body : query);
  const key = query.get("key");
  const { form, errors, customer } = readGuestForm(body);
  if (!isFormKey(key))
    return respondWithChoice(request, page, items, { notice: page.texts.gone, status: 409 });
  const fields: Fields = [["event", page.content.id], ["key", key], ...keptFields(request)];
  const written = { form, action: urlOfStep(page, fields) };
  const notice = isChoice ? writeTooMany(request, page, items) : null;
  if (items.length === 0 || notice !== null)
    return respondWithChoice(request, page, items, { notice, status: 422, written });
  const state = { items, key, form, errors, hasNewPrice: false };
  if (isChoice) return respondWithOrder(request, page, { ...state, errors: {}, status: 200 });
  const keyId = findPageKey(rt, page.business);
  if (customer === null)
    return keyId !== undefined && isFormUsed(rt, keyId, key)
      ? respondUsed(request, page, key)
      : respondWithOrder(request, page, { ...state, status: 422 });
  const { slug } = page.business;
  const expectedTotalCents = readTotal(body.get("total"));
  try {
    const token = await retryWhileBusy(rt, () => {
      const business = rt.store.businesses.findBySlug(slug);
      const event =
        business && rt.store.catalog.findByKeyOrId(business.id, "public_event", page.content.id);
      if (!business || !event || !takesBookings(business))
        throw new AppError("too_many_bookings", "Online booking is closed.");
      return orderOnPage(rt, business, (keyId) => visitorOf(request, keyId), {
        event,
        items,
        formKey: key,
        nonce: body.get("nonce") ?? "",
        expectedTotalCents,
        customer,
        language: page.shop.language,
      });
    });
    return redirect(request, urlOfBooked(request, page, token), bookedCookie(request, token));
  } catch (error) {
    const refused = respondToRefusal(request, page, error);
    if (refused) return refused;
    if (isUsedError(error)) return respondUsed(request, page, state.key, true);
    if (!(error instanceof AppError)) throw error;
    if (error.code === "price_changed")
      return respondWithOrder(request, page, { ...state, hasNewPrice: true, status: 409 });
    const { gone, fewLeft } = page.texts;
    const wrong = { status: 409, written };
    if (error.code === "conflict")
      return respondWithChoice(request, page, items, { ...wrong, notice: fewLeft });
    if (error.code === "validation_failed") {
      const notice = writeTooMany(request, page, items) ?? gone;
      return respondWithChoice(request, page, items, { ...wrong, notice });
    }
    throw error;
  }
}
