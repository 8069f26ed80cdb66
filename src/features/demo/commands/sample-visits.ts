import { accessOf, OPERATOR, type VisitAccess } from "../../../app/bookings/access.ts";
import { createAvailabilityFinder } from "../../../app/availability/availability.ts";
import { createEventLoopYield } from "../../../app/availability/yield-to-event-loop.ts";
import { bookServices, reserveTable } from "../../../app/bookings/bookings.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { CreatedKey } from "../../../app/keys.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { NamedRequest, NamedTableRequest } from "../../../domain/availability/request.ts";
import { mergeCustomer } from "../../../domain/bookings/customer.ts";
import { catalogId } from "../../../domain/ids.ts";
import { addDays, localDateOf, parseInstant } from "../../../domain/local-time.ts";
import { confirmTicketOrder, createTicketOrder } from "../../tickets/orders/orders.ts";

const SALON = "salon-aurora";

/**
 * A visit to book. `share` chooses among the free start times of a day: 0 is the first, and 0.5 the
 * one in the middle.
 */
type SampleVisit = { share: number; request: NamedRequest };

const appointment = (share: number, service: string, staff?: string): SampleVisit => ({
  share,
  request: {
    serviceIds: [catalogId("svc", SALON, service)],
    variantIds: [],
    addonIds: [],
    staffIds: staff === undefined ? [] : [catalogId("stf", SALON, staff)],
    guests: 1,
  },
});
const table = (share: number, partySize: number): SampleVisit => ({
  share,
  request: { partySize, areaId: null },
});

/** The visits of each day, by the slug of their business. */
const VISITS = {
  [SALON]: [
    appointment(0, "mens-cut", "daniel"),
    appointment(0.05, "cut-and-blow-dry", "maya"),
    appointment(0.15, "brow-shape"),
    appointment(0.3, "root-touch-up", "sofia"),
    appointment(0.35, "braids", "jamal"),
    appointment(0.5, "kids-cut"),
    appointment(0.6, "cut", "maya"),
    appointment(0.75, "beard-trim", "jamal"),
    appointment(0.8, "blowout"),
    appointment(0.95, "gloss"),
  ],
  "cafe-lumen": [
    table(0.1, 2),
    table(0.25, 4),
    table(0.35, 2),
    table(0.6, 3),
    table(0.7, 2),
    table(0.7, 6),
    table(0.75, 4),
    table(0.8, 2),
  ],
};

const GUESTS = [
  "Amara Okafor",
  "Ben Whitaker",
  "Camila Reyes",
  "Dmitri Volkov",
  "Elena Rossi",
  "Farid Haddad",
  "Grace Lin",
  "Hugo Meier",
  "Ines Carvalho",
  "Jonas Weber",
  "Keiko Tanaka",
  "Lucía Moreno",
];

/**
 * Books visits for today and tomorrow, so that a desk has something to show.
 * @param key the key of a website, which requests a visit that the business must still approve
 */
export async function bookSampleVisits(rt: Runtime, key: CreatedKey["key"]): Promise<void> {
  let guestCount = 0;
  const nextGuest = () => {
    const name = GUESTS[guestCount % GUESTS.length] ?? "";
    const digits = String(100 + guestCount).padStart(4, "0");
    const fields = { name, phone: `+1 212 555 ${digits}`, email: null, notes: null };
    guestCount += 1;
    return { customerRef: null, customer: mergeCustomer(null, fields) };
  };

  for (const [slug, visits] of Object.entries(VISITS)) {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const today = localDateOf(rt.now(), timezone);
    for (const day of [today, addDays(today, 1)])
      for (const { request, share } of visits) {
        const start = await findStart(rt, slug, request, day, share);
        if (start === undefined) continue;
        book(rt, slug, OPERATOR, request, start, nextGuest());
      }
  }
  await requestApproval(rt, accessOf(key), nextGuest());
  orderTickets(rt);
}

type Guest = Parameters<typeof bookServices>[3]["guest"];

const isTable = (request: NamedRequest): request is NamedTableRequest => "partySize" in request;

function book(
  rt: Runtime,
  slug: string,
  access: VisitAccess,
  request: NamedRequest,
  start: string,
  guest: Guest,
): void {
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const startsAt = parseInstant(start, business.doc.timezone);
    const shared = { startsAt, refusal: "The sample visit cannot be booked", guest };
    if (isTable(request)) reserveTable(rt, business, access, { ...shared, request });
    else bookServices(rt, business, access, { ...shared, request });
  });
}

const search = (rt: Runtime, slug: string, request: NamedRequest, from: string, to: string) =>
  createAvailabilityFinder(rt)(getBusiness(rt, slug), {
    audience: "PUBLIC",
    request,
    dates: { from, to },
    // The value null stands for the time zone of the business.
    timezone: null,
    explain: false,
    yieldToEventLoop: createEventLoopYield(),
  });

/**
 * Returns the free start time that `share` chooses on a day; undefined if the day has no free start
 * time.
 */
async function findStart(
  rt: Runtime,
  slug: string,
  request: NamedRequest,
  day: string,
  share: number,
): Promise<string | undefined> {
  const days = (await Array.fromAsync(search(rt, slug, request, day, day).days())).flat();
  const slots = days.flatMap((found) => found.slots);
  return slots[Math.floor(share * slots.length)]?.startsAt;
}

/** Requests the first free start from tomorrow on, for a service whose visits need an approval. */
async function requestApproval(rt: Runtime, access: VisitAccess, guest: Guest): Promise<void> {
  const { request } = appointment(0, "keratin");
  const tomorrow = addDays(localDateOf(rt.now(), getBusiness(rt, SALON).doc.timezone), 1);
  const [slot] = await search(rt, SALON, request, tomorrow, tomorrow).nextSlots(1, tomorrow);
  if (slot !== undefined) book(rt, SALON, access, request, slot.startsAt, guest);
}

/** Orders tickets of the venue's next event: one order is paid, the other one waits for payment. */
function orderTickets(rt: Runtime): void {
  const order = (item: string) =>
    createTicketOrder(rt, "kita-live", { event: "blue-hour-quartet", items: [item] });
  confirmTicketOrder(rt, "kita-live", order("standing*2").id);
  order("seated*3");
}
