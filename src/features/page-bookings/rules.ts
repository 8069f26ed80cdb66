import type {
  NamedRequest,
  NamedTableRequest,
  NamedSegmentsRequest,
} from "../../domain/availability/request.ts";
import { type Hold, holdStatus } from "../../domain/bookings/hold.ts";
import type { PublicService } from "../../domain/public/service.ts";

// The query of a URL has what a guest has chosen on the booking page. Each step is a URL, so that
// the back button and a reload work without scripts.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** How long a guest's link works after the visit. */
export const LINK_MS = 30 * DAY_MS;
/**
 * The link in a mail can book the time of a hold for this long after the hold was made, if the time
 * is still free.
 */
export const CONFIRM_MS = 60 * MINUTE_MS;
/** How long a time is held for a guest who was asked by mail to confirm the visit. */
export const MAIL_HOLD_MS = 15 * MINUTE_MS;
/** How long a time is held while a guest types. */
export const HOLD_MS = 10 * MINUTE_MS;

/** Returns until when a link in a mail can confirm a hold, even if the hold itself has expired. */
export const confirmableUntil = ({ createdAt }: { createdAt: number }): number =>
  createdAt + CONFIRM_MS;

/** Returns until when nobody else can take the time of a hold; null if others can. */
export const keptUntil = (hold: Hold, now: number): number | null =>
  holdStatus(hold, now) === "OPEN" ? hold.expiresAt : null;

/** The highest number of guests that the page offers for one booking. */
export const MAX_GUESTS = 20;

export type ServiceChoice = {
  kind: "service";
  serviceId: string;
  variantId: string | null;
  addons: { addonId: string; quantity: number }[];
  /** The person who is wanted; null for anyone. */
  staffId: string | null;
  guests: number;
};
export type TableChoice = { kind: "table"; partySize: number; areaId: string | null };
export type Choice = ServiceChoice | TableChoice;

const ADDON = "addon.";
export const ANYONE = "any";

/** Returns the name of the field with the quantity of an add-on. */
export const addonField = (addonId: string): string => `${ADDON}${addonId}`;

const readInteger = (text: string | null, max: number): number | undefined => {
  const value = /^\d{1,5}$/.test(text ?? "") ? Number(text) : undefined;
  return value !== undefined && value <= max ? value : undefined;
};

const MAX_PARTY = 10_000;

/** The step that a guest has reached: a question to answer, or the times for what was chosen. */
export type Progress =
  | { step: "start" }
  | { step: "options"; serviceId: string }
  | { step: "party" }
  | { step: "time"; choice: Choice };

const TICKET = "ticket.";

/** Returns the name of the field with the number of tickets of a type. */
export const ticketField = (ticketTypeId: string): string => `${TICKET}${ticketTypeId}`;

const MAX_TICKETS = 1000;

/** Returns the tickets that a query names. */
export const readTickets = (query: URLSearchParams): { ticketTypeId: string; quantity: number }[] =>
  [...query].flatMap(([name, value]) => {
    const quantity = readInteger(value, MAX_TICKETS) ?? 0;
    return name.startsWith(TICKET) && quantity > 0
      ? [{ ticketTypeId: name.slice(TICKET.length), quantity }]
      : [];
  });

/** Returns the step of a booking to which the query of a URL leads. */
export function readProgress(query: URLSearchParams): Progress {
  const serviceId = query.get("service");
  if (serviceId !== null && serviceId !== "") {
    if (!query.has("staff")) return { step: "options", serviceId };
    return { step: "time", choice: readService(query, serviceId) };
  }
  const partySize = readInteger(query.get("party"), MAX_PARTY);
  if (partySize !== undefined && partySize > 0) {
    const areaId = query.get("area") || null;
    return { step: "time", choice: { kind: "table", partySize, areaId } };
  }
  return query.has("table") ? { step: "party" } : { step: "start" };
}

function readService(query: URLSearchParams, serviceId: string): ServiceChoice {
  const staff = query.get("staff") ?? "";
  const addons = [...query].flatMap(([name, value]) => {
    const quantity = readInteger(value, 100) ?? 0;
    return name.startsWith(ADDON) && quantity > 0
      ? [{ addonId: name.slice(ADDON.length), quantity }]
      : [];
  });
  return {
    kind: "service",
    serviceId,
    variantId: query.get("variant") || null,
    addons,
    staffId: staff === "" || staff === ANYONE ? null : staff,
    guests: Math.max(1, readInteger(query.get("guests"), MAX_GUESTS) ?? 1),
  };
}

/**
 * Returns a choice with what a booking adds to it: the default variant and the required add-ons.
 * `planSegments` has the same rules.
 */
export function completeChoice(
  choice: ServiceChoice,
  { variants, addonLinks }: PublicService,
): ServiceChoice {
  const isMissing = (id: string): boolean => choice.addons.every(({ addonId }) => addonId !== id);
  return {
    ...choice,
    variantId: choice.variantId ?? variants.find(({ isDefault }) => isDefault)?.id ?? null,
    addons: [
      ...choice.addons,
      ...addonLinks
        .filter(({ addonId, required }) => required && isMissing(addonId))
        .map(({ addonId, minQuantity, defaultQuantity }) => ({
          addonId,
          quantity: Math.max(1, minQuantity, defaultQuantity),
        })),
    ],
  };
}

/** Returns whether a hold is for what a guest has chosen. */
export function isHoldOf(hold: Hold, choice: Choice): boolean {
  if (choice.kind === "table")
    return (
      hold.tableId !== null &&
      hold.guests === choice.partySize &&
      (choice.areaId === null || hold.areaId === choice.areaId)
    );
  const [segment] = hold.segments;
  return (
    segment?.serviceId === choice.serviceId &&
    segment.variantId === choice.variantId &&
    isSameAddons(segment.addons, choice.addons) &&
    hold.guests === choice.guests &&
    (choice.staffId === null || segment.staffId === choice.staffId)
  );
}

type Addons = readonly { addonId: string; quantity: number }[];

const isSameAddons = (held: Addons, chosen: Addons): boolean =>
  held.length === chosen.length &&
  held.every(({ addonId, quantity }) =>
    chosen.some((addon) => addon.addonId === addonId && addon.quantity === quantity),
  );

/** Returns the fields of a choice, for hidden inputs and URLs. */
export function fieldsOf(choice: Choice): [name: string, value: string][] {
  if (choice.kind === "table")
    return [
      ["table", "1"],
      ["party", String(choice.partySize)],
      ...(choice.areaId === null ? [] : [["area", choice.areaId] as [string, string]]),
    ];
  const { serviceId, variantId, addons, staffId, guests } = choice;
  return [
    ["service", serviceId],
    ...(variantId === null ? [] : [["variant", variantId] as [string, string]]),
    ...addons.map(({ addonId, quantity }): [string, string] => [
      addonField(addonId),
      String(quantity),
    ]),
    ["staff", staffId ?? ANYONE],
    ...(guests === 1 ? [] : [["guests", String(guests)] as [string, string]]),
  ];
}

export function toRequest(choice: ServiceChoice): NamedSegmentsRequest;
export function toRequest(choice: TableChoice): NamedTableRequest;
export function toRequest(choice: Choice): NamedSegmentsRequest | NamedTableRequest;
export function toRequest(choice: Choice): NamedRequest {
  if (choice.kind === "table") return { partySize: choice.partySize, areaId: choice.areaId };
  const { serviceId, variantId, addons, staffId, guests } = choice;
  return { segments: [{ serviceId, variantId, addons, staffId }], guests };
}

/**
 * The number of random bytes in the key of a form. The key is written in hexadecimal digits, two
 * for each byte.
 */
export const KEY_BYTES = 16;

/** Matches the key of a form: a form that is sent twice books once. */
const FORM_KEY = /^[0-9a-f]{32}$/;
export const isFormKey = (text: string | null): text is string => FORM_KEY.test(text ?? "");

export type GuestForm = { name: string; email: string; phone: string; notes: string };

export const EMPTY_FORM: GuestForm = { name: "", email: "", phone: "", notes: "" };

/** `to confirm`: the page takes the visit only if the guest confirms it by mail. */
export type FormErrors = { [Field in keyof GuestForm]?: "needed" | "invalid" | "to confirm" };

/** Returns the total in a form, in minor units; null if it has none. */
export const readTotal = (text: string | null): number | null =>
  /^\d{1,12}$/.test(text ?? "") ? Number(text) : null;

/** What was booked, without data of the guest or the visit. */
export type Booked = {
  business: string;
  type: "booking" | "reservation" | "ticketOrder";
  status: string;
};

/** What a page in a frame of another website passes to its script. */
export type FrameProps = {
  /** The origins of the websites that may show the page. */
  origins: readonly string[];
  /** Whether the page is the first of the frame, which must not take the focus of the website. */
  isFirst: boolean;
  /** What the guest has just booked. */
  booked: Booked | null;
};

/** What a page of a booking passes to its script. */
export type PageProps = { yourTime: string; language: string; frame?: FrameProps };
