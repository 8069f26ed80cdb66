import { accessOf, isPublicStaff } from "../../../app/bookings/access.ts";
import { VISIT_STATUSES, type Visit } from "../../../domain/bookings/visit.ts";
import { addDays, isLocalDate, startOfDay, YEARS } from "../../../domain/local-time.ts";
import { lazy } from "../../../domain/lazy.ts";
import type { Credential } from "../../../store/keys.ts";
import type { VisitListFilter } from "../../../store/bookings/visit-lists.ts";
import {
  getBusinessOfKey,
  respondPage,
  decodeCursor,
  encodeCursor,
} from "../../pipeline/business-response.ts";
import {
  cursor,
  flag,
  instant,
  oneOf,
  pageSize,
  parseParameters,
  parametersError,
  text,
} from "../../pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { BOOKINGS, RESERVATIONS, type VisitResource, withCustomer } from "./visits.ts";

const DEFAULT_LIMIT = 100;

const localDate = () =>
  text()
    .refine(isLocalDate, {
      error: `must be a date ${YEARS} that exists, such as 2026-12-31.`,
      params: { code: "invalid_date" },
    })
    .meta({ inputSchema: { type: "string", format: "date" }, problemCode: "invalid_date" });

export const pageParameters = () => ({
  updatedSince: instant().describe(
    "Only objects changed at or after this time, sorted by `updatedAt`",
  ),
  includeCustomer: flag().describe(
    "Include `customer` where the key may read it: of its own objects, and with guests.read of all",
  ),
  limit: pageSize().describe(`Maximum number of results; ${DEFAULT_LIMIT} by default`),
  cursor: cursor(),
});

const visitParameters = () => ({
  from: localDate().describe("First day of the start, in the business's time zone"),
  to: localDate().describe("Last day of the start"),
  status: oneOf(VISIT_STATUSES).describe("Filter by status"),
});

export const bookingsParameters = lazy(() => ({
  ...visitParameters(),
  staffId: text().describe("Only bookings with a service by this staff member"),
  serviceId: text().describe("Only bookings with this service"),
  ...pageParameters(),
}));
export const reservationsParameters = lazy(() => ({ ...visitParameters(), ...pageParameters() }));

/** The parameters of bookings include those of every other list. */
type AllParameters = ReturnType<typeof bookingsParameters>;
/** The parameter values of any list. */
export type ListParameters = ReturnType<typeof parseParameters<AllParameters>>;
type Listed = { id: string; createdByKey: string | null; startsAt?: number; updatedAt: number };

/** Responds with one page of the rows that the key may see. */
export function listPage<Row extends Listed>(
  { rt }: HandlerDeps,
  context: RequestContext,
  key: Credential,
  path: string,
  {
    limit = DEFAULT_LIMIT,
    cursor: cursorText,
    includeCustomer,
    updatedSince,
    from,
    to,
    ...filter
  }: ListParameters,
  read: (filter: VisitListFilter, limit: number) => Row[],
  toPublic: (row: Row) => object,
): HttpResponse {
  if (from !== undefined && to !== undefined && to < from)
    throw parametersError([
      { parameter: "to", code: "before_from", detail: "'to' must not be before 'from'." },
    ]);
  const access = accessOf(key);
  const business = getBusinessOfKey(rt, key);
  const { timezone } = business.doc;
  const sortsByChange = updatedSince !== undefined;
  // A list has two orders: by change, or by start. A cursor of one is not valid in the other.
  const list = sortsByChange ? `${path}?updatedSince` : path;
  const after = cursorText === undefined ? undefined : decodeCursor(list, cursorText);
  const rows = read(
    {
      businessId: business.id,
      ...filter,
      createdByKey: access.readsAll ? undefined : key.id,
      from: from === undefined ? undefined : startOfDay(from, timezone),
      to: to === undefined ? undefined : startOfDay(addDays(to, 1), timezone),
      updatedSince: updatedSince?.resolve(timezone),
      after: after && { at: after.sortOrder, id: after.id },
    },
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const lastBeforeNextPage = rows.length > limit ? page.at(-1) : undefined;
  const data = page.map((row) =>
    includeCustomer === true ? withCustomer(rt, access, row, toPublic(row)) : toPublic(row),
  );
  // Ticket orders have no start: their list is in the order of their IDs alone.
  const nextCursor =
    lastBeforeNextPage === undefined
      ? null
      : encodeCursor(list, {
          sortOrder: sortsByChange
            ? lastBeforeNextPage.updatedAt
            : (lastBeforeNextPage.startsAt ?? 0),
          id: lastBeforeNextPage.id,
        });
  return respondPage(rt, context, business, path, { data, nextCursor });
}

const handleListVisits =
  <Row extends Visit>({ kind, path, toPublic }: VisitResource<Row>, parameters: () => object) =>
  (deps: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const { rt } = deps;
    const values = parseParameters(parameters() as AllParameters, context.request.search);
    const business = getBusinessOfKey(rt, key);
    const access = accessOf(key);
    // Responses do not show a hidden staff member, so the filter treats the ID of one as unknown.
    const isHidden = (staffId: string | undefined): boolean =>
      staffId !== undefined && !access.readsAll && !isPublicStaff(rt, business.id, staffId);
    return listPage(
      deps,
      context,
      key,
      path,
      values,
      (filter, limit) => (isHidden(filter.staffId) ? [] : kind.store(rt).listPage(filter, limit)),
      (row) => toPublic(rt, business, access, row),
    );
  };

export const handleListBookings = handleListVisits(BOOKINGS, bookingsParameters);
export const handleListReservations = handleListVisits(RESERVATIONS, reservationsParameters);
