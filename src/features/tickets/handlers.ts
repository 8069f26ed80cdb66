import { accessOf, type VisitAccess } from "../../app/bookings/access.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { AppError } from "../../domain/errors.ts";
import { lazy } from "../../domain/lazy.ts";
import { isVisible } from "../../domain/public/public-context.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import { quote } from "../../domain/text.ts";
import { guestInBody, parseBody, reasonBody } from "../../http/handlers/bookings/bodies.ts";
import {
  listPage,
  type ListParameters,
  pageParameters,
} from "../../http/handlers/bookings/lists.ts";
import { withCustomer } from "../../http/handlers/bookings/visits.ts";
import { commitAs, createAs, toCreatedReply } from "../../http/handlers/bookings/writes.ts";
import { emptyBody, readJsonObject, readOptionalJsonObject } from "../../http/pipeline/body.ts";
import { getBusinessOfKey, NO_STORE } from "../../http/pipeline/business-response.ts";
import {
  assertIfMatch,
  handleGet,
  pathId,
  toDataReply,
} from "../../http/pipeline/object-handlers.ts";
import { oneOf, parseParameters } from "../../http/pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../http/pipeline/request-context.ts";
import type { HandlerDeps } from "../../http/pipeline/route.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Credential } from "../../store/keys.ts";
import { confirmBody, ticketOrderBody } from "./bodies.ts";
import {
  cancelOrder,
  getTicketOrderToChange,
  getVisibleTicketOrder,
} from "./orders/change-order.ts";
import { confirmOrder, placeTicketOrder } from "./orders/orders.ts";
import { type TicketOrder, toPublicTicketOrder } from "./rules.ts";
import { createOrderStore } from "./store.ts";
import { reissueTickets } from "./tickets.ts";

const PATH = "ticket-orders";

export const handleCreateTicketOrder =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { rt } = deps;
    const body = parseBody(ticketOrderBody(), await readJsonObject(context));
    const { eventId, expectedTotalCents } = body;
    const guest = { ...guestInBody(body), expectedTotalCents };
    const items = body.items.map(({ ticketTypeId, quantity }) => ({ key: ticketTypeId, quantity }));
    return createAs(deps, context, key, (business, access, isDryRun) => {
      const event = getPublicEvent(rt, business, eventId);
      assertTicketTypes(business, event, items);
      const order = placeTicketOrder(rt, business, access, event, items, guest);
      const object = toPublicTicketOrder(order, business.doc.timezone);
      return toCreatedReply(deps, key, PATH, object, isDryRun);
    });
  };

/** @throws AppError resource_not_found, also for an event that is not public yet */
function getPublicEvent(rt: Runtime, { id, slug }: BusinessRow, eventId: string): PublicEventDoc {
  const event = rt.store.catalog.findByKeyOrId(id, "public_event", eventId);
  // The event must be named by its ID: partners do not know the keys of the catalog file, by which
  // `findByKeyOrId` finds it, too.
  const isId = event !== undefined && objectId("public_event", slug, event) === eventId;
  if (isId && isVisible("public_event", event)) return event;
  throw new AppError("resource_not_found", `There is no event ${quote(eventId)}.`, {
    issues: [
      { pointer: "#/eventId", code: "resource_not_found", detail: "There is no such event." },
    ],
  });
}

/** @throws AppError resource_not_found, also for a key of the catalog file: partners use IDs */
function assertTicketTypes(
  { slug }: BusinessRow,
  event: PublicEventDoc,
  items: readonly { key: string }[],
): void {
  const ids = new Set(event.ticketTypes.map((type) => ticketTypeId(slug, event, type)));
  const index = items.findIndex(({ key }) => !ids.has(key));
  if (index === -1) return;
  const detail = `There is no ticket type ${quote(items[index]?.key ?? "")} of this event.`;
  throw new AppError("resource_not_found", detail, {
    issues: [{ pointer: `#/items/${index}/ticketTypeId`, code: "resource_not_found", detail }],
  });
}

export const ticketOrdersParameters = lazy(() => ({
  status: oneOf(["PENDING", "CONFIRMED", "CANCELLED", "EXPIRED"]).describe("Filter by status"),
  ...pageParameters(),
}));

export const handleListTicketOrders =
  (deps: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const { rt } = deps;
    const values = parseParameters(ticketOrdersParameters(), context.request.search);
    const { timezone } = getBusinessOfKey(rt, key).doc;
    return listPage(
      deps,
      context,
      key,
      PATH,
      values as ListParameters,
      (filter, limit) => rt.openStore(createOrderStore).listPage(filter, limit),
      (row) => toPublicTicketOrder(row, timezone),
    );
  };

export const handleGetTicketOrder =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const access = accessOf(key);
    const business = getBusinessOfKey(rt, key);
    return handleGet(
      { rt },
      () => getVisibleTicketOrder(rt, business.id, access, pathId(context)),
      (row, timezone) => withCustomer(rt, access, row, toPublicTicketOrder(row, timezone)),
    )(context, key);
  };

type Change = (business: BusinessRow, order: TicketOrder, access: VisitAccess) => object;

const commitOrderChange = (
  { rt }: HandlerDeps,
  context: RequestContext,
  key: Credential,
  headers: string[] | undefined,
  change: Change,
): Promise<HttpResponse> =>
  commitAs({ rt }, context, key, (business, access) => {
    const order = getTicketOrderToChange(rt, business, access, pathId(context));
    assertIfMatch(context, order);
    return toDataReply(change(business, order, access), 200, headers);
  });

export const handleConfirmTicketOrder =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { paymentRef } = parseBody(confirmBody(), await readOptionalJsonObject(context));
    return commitOrderChange(deps, context, key, NO_STORE, (business, order) => {
      const confirmed = confirmOrder(deps.rt, business, order, paymentRef);
      const { tickets } = confirmed;
      return { ...toPublicTicketOrder(confirmed.order, business.doc.timezone), tickets };
    });
  };

export const handleReissueTickets =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseBody(emptyBody(), await readOptionalJsonObject(context));
    return commitOrderChange(deps, context, key, NO_STORE, (business, order) => {
      const tickets = reissueTickets(deps.rt, business, order);
      return { ...toPublicTicketOrder(order, business.doc.timezone), tickets };
    });
  };

export const handleCancelTicketOrder =
  (deps: HandlerDeps) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    const { reason } = parseBody(reasonBody(), await readOptionalJsonObject(context));
    return commitOrderChange(deps, context, key, undefined, (business, order) =>
      toPublicTicketOrder(cancelOrder(deps.rt, business, order, reason), business.doc.timezone),
    );
  };
