import { z } from "zod";
import { ALL_EVENT_TYPES, type EventType } from "../../domain/events/event-types.ts";
import * as availability from "../../domain/public/schemas/availability.ts";
import * as bookings from "../../domain/public/schemas/bookings.ts";
import { REASONS } from "../../domain/availability/refusal.ts";
import {
  business,
  catalogChange,
  envelopeSchema,
  otherEnvelope,
} from "../../domain/public/schemas/envelope.ts";
import { key, rotatedKey } from "../../domain/public/schemas/key.ts";
import { menuCategory, menuItem, modifierGroup } from "../../domain/public/schemas/menu.ts";
import { profile } from "../../domain/public/schemas/profile.ts";
import { promotion } from "../../domain/public/schemas/promotion.ts";
import {
  publicEvent,
  saleAvailability,
  ticketType,
} from "../../domain/public/schemas/public-event.ts";
import {
  addon,
  addonLink,
  service,
  serviceCategory,
  serviceVariant,
  staff,
} from "../../domain/public/schemas/service.ts";
import { currency, image, instant, weeklyWindow } from "../../domain/public/schemas/values.ts";
import * as webhook from "../../domain/public/schemas/webhook.ts";
import { type ValuesIn, loadFromFeatures } from "../../features/index.ts";
import { HTTP_CODES } from "../pipeline/problem-codes.ts";

/** Returns the URL by which the OpenAPI document refers to one of its components. */
export const refTo = (
  kind: "schemas" | "headers" | "responses" | "parameters",
  name: string,
): string => `#/components/${kind}/${name}`;

const page = z.strictObject({
  hasMore: z.boolean().describe("Whether there is a page after this one"),
  nextCursor: z
    .string()
    .nullable()
    .describe(
      "Pass it as `cursor` (as `after` for `/changes`) to get the next page; null on the last page of a list",
    ),
});

const catalogMeta = z.strictObject({
  business,
  currency,
  locale: z.string().describe("Language of the texts"),
  catalogVersion: z.int().describe("Increases with every change of the catalog"),
});

const listMeta = catalogMeta.extend({
  validUntil: instant
    .nullable()
    .describe(
      "When the response will change without an edit, for example because a promotion starts; null if never",
    ),
});

const list = (data: z.ZodType) => z.strictObject({ data, page, meta: listMeta });
const pageMeta = z.strictObject({ business });
/** Returns the schema of one page of a list. */
export const pageOf = (item: z.ZodType, meta: z.ZodObject = pageMeta) =>
  z.strictObject({ data: z.array(item), page, meta });
export const lastSequence = z
  .int()
  .describe("Sequence number of the newest event of the business, whoever receives it");
const feedMeta = pageMeta.extend({
  sequences: z
    .array(z.int())
    .describe(
      "Sequence number of each event in `data`, in the same order; webhooks have it in X-Service-Sequence. All events of the business share the numbers: gaps count events that this key does not receive",
    ),
  lastSequence,
});
const eventMeta = pageMeta.extend({
  sequence: z
    .int()
    .describe("Sequence number of the event; webhooks have it in X-Service-Sequence"),
  cursor: z.string().describe("Pass it as `after` to `/changes` to get the events after this one"),
});
/** Returns the schema of a response about one object. */
export const response = (data: z.ZodType) => z.strictObject({ data });

const envelopes = ALL_EVENT_TYPES.map(
  (type) => [eventSchemaName(type), envelopeSchema(type)] as const,
);
const eventSchemas = Object.fromEntries(envelopes);
const knownEvent = z
  .discriminatedUnion(
    "type",
    envelopes.map(([, schema]) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]],
  )
  .meta({
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(
        ALL_EVENT_TYPES.map((type) => [type, refTo("schemas", eventSchemaName(type))]),
      ),
    },
  });
/** `otherEnvelope` keeps generated clients from rejecting event types that are added later. */
export const event = z
  .union([knownEvent, otherEnvelope])
  .describe("Narrow it by `type` to one of KnownEvent; ignore types that you do not know");

const problem = z.strictObject({
  type: z
    .string()
    .meta({ format: "uri-reference" })
    .describe(
      "Documentation of `code`: the server's public URL, if it has one, and `/docs#problem-` followed by `code`",
    ),
  title: z.string().describe("`code` as readable text"),
  status: z.int().describe("HTTP status"),
  code: z.enum(HTTP_CODES).describe("Stable, machine-readable code; use this in program logic"),
  detail: z.string().describe("Explanation for people"),
  fix: z.string().optional().describe("How to fix the request"),
  requestId: z.string().describe("Same as the header `Request-Id`"),
  errors: z
    .array(
      z.strictObject({
        code: z.string().describe("Stable, machine-readable code"),
        detail: z.string().describe("Explanation for people"),
        parameter: z.string().optional().describe("Name of the invalid query parameter or header"),
        pointer: z
          .string()
          .optional()
          .describe(
            "JSON Pointer (RFC 6901) to the invalid field of the body, such as `#/events/3`",
          ),
      }),
    )
    .optional()
    .describe("Every error in the request"),
  reason: z
    .enum(REASONS)
    .optional()
    .describe(
      "Why the start cannot be booked; only with `slot_taken`. Keys without bookings.read get TOO_FAR, TOO_SOON, OUTSIDE_HOURS (also for CLOSURE), OFF_GRID or TAKEN (for all others, such as BREAK, TIME_OFF and NOBODY_ABLE)",
    ),
  alternatives: z
    .array(availability.slot.pick({ startsAt: true, endsAt: true, segments: true }))
    .optional()
    .describe("The nearest free starts, at most 3; only with `slot_taken`"),
  totalCents: z.int().optional().describe("The current total; only with `price_changed`"),
  currentStatus: z.string().optional().describe("Status of the object; only with `wrong_status`"),
  bookingId: z
    .string()
    .nullable()
    .optional()
    .describe("Booking that the hold became; only with `hold_used`"),
  reservationId: z
    .string()
    .nullable()
    .optional()
    .describe("Reservation that the hold became; only with `hold_used`"),
  violatedPolicies: z
    .array(z.string())
    .optional()
    .describe(
      "Rate limit windows that are full; only with `rate_limited`. Those of an IPv6 /48 begin with `network-`",
    ),
  conditions: z
    .array(z.string())
    .optional()
    .describe(
      "Codes of the conditions in which the server is not ready; only from `/readyz`, for requests with the metrics token",
    ),
});

/** The schemas of the core, by their names in the OpenAPI document. */
const NAMED = {
  Service: service,
  ServiceVariant: serviceVariant,
  AddonLink: addonLink,
  Addon: addon,
  ServiceCategory: serviceCategory,
  Staff: staff,
  MenuCategory: menuCategory,
  MenuItem: menuItem,
  ModifierGroup: modifierGroup,
  Promotion: promotion,
  PublicEvent: publicEvent,
  TicketType: ticketType,
  SaleAvailability: saleAvailability,
  Image: image,
  WeeklyWindow: weeklyWindow,
  Business: business,
  BusinessProfile: profile,
  Page: page,
  CatalogMeta: catalogMeta,
  ListMeta: listMeta,
  Hold: bookings.hold,
  Booking: bookings.booking,
  Reservation: bookings.reservation,
  TicketOrder: bookings.ticketOrder,
  Ticket: bookings.ticket,
  BookingWithCustomer: bookings.bookingWithCustomer,
  ReservationWithCustomer: bookings.reservationWithCustomer,
  CatalogChange: catalogChange,
  SlotsByDay: availability.slotsByDay,
  DayCounts: availability.dayCounts,
  NextSlots: availability.nextSlots,
  AvailableDay: availability.day,
  Slot: availability.slot,
  VisitSegment: availability.visitSegment,
  TableSegment: availability.tableSegment,
  RefusedStart: availability.refusedStart,
  Endpoint: webhook.endpoint,
  Delivery: webhook.delivery,
  Attempt: webhook.attempt,
  Problem: problem,
  KnownEvent: knownEvent,
  OtherEvent: otherEnvelope,
  Event: event,
  ServiceList: list(z.array(service)),
  ServiceCategoryList: list(z.array(serviceCategory)),
  StaffList: list(z.array(staff)),
  PromotionList: list(z.array(promotion)),
  PublicEventList: list(z.array(publicEvent)),
  Menu: list(
    z.strictObject({
      categories: z.array(menuCategory),
      items: z.array(menuItem),
      modifierGroups: z.array(modifierGroup),
    }),
  ),
  BusinessProfileResponse: z.strictObject({ data: profile, meta: listMeta }),
  Availability: z.strictObject({ data: availability.availability, meta: catalogMeta }),
  HoldResponse: response(bookings.hold),
  BookingResponse: response(bookings.booking),
  BookingWithCustomerResponse: response(bookings.bookingWithCustomer),
  BookingList: pageOf(bookings.bookingWithCustomer),
  ReservationResponse: response(bookings.reservation),
  ReservationWithCustomerResponse: response(bookings.reservationWithCustomer),
  ReservationList: pageOf(bookings.reservationWithCustomer),
  EventList: pageOf(event, feedMeta),
  EventResponse: z.strictObject({ data: event, meta: eventMeta }),
  EndpointList: pageOf(webhook.endpoint),
  DeliveryList: pageOf(webhook.delivery),
  EndpointResponse: response(webhook.endpoint),
  CreatedEndpointResponse: response(webhook.endpointWithSecret),
  SecretRotationResponse: response(webhook.rotatedEndpoint),
  FinishedSecretRotationResponse: response(webhook.finishedRotation),
  EnabledEndpointResponse: response(webhook.enabledEndpoint),
  EndpointTestResponse: response(webhook.endpointTest),
  DeliveryResponse: response(webhook.deliveryWithAttempts),
  RedeliveryResponse: z.strictObject({ data: webhook.redelivery, page, meta: pageMeta }),
  KeyResponse: response(key),
  RotatedKeyResponse: response(rotatedKey),
  Health: z.strictObject({
    status: z.enum(["ok", "ready"]),
    database: z
      .literal("damaged")
      .optional()
      .describe("Set if the nightly check of the database found damage"),
    lastDeliveryAt: instant
      .optional()
      .describe(
        "For `/readyz`: when a receiver of any business last accepted a webhook. Missing if none of the last 1,000 attempts was accepted",
      ),
  }),
  OpenApi: z.looseObject({ openapi: z.string() }).describe("This OpenAPI document"),
};

export type SchemaName = keyof typeof NAMED | ValuesIn<"schemas">;

/** Returns the schemas of the core, of features and of all events, by their names. */
export async function loadSchemas(): Promise<Record<string, z.ZodType>> {
  const parts = await loadFromFeatures("openapi");
  return Object.assign({}, NAMED, ...parts.map(({ schemas }) => schemas), eventSchemas);
}

/** Returns the name of an event's schema: `service_price.updated` -> `ServicePriceUpdatedEvent`. */
export function eventSchemaName(type: EventType): string {
  return `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
