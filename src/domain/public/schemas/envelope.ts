import { z } from "zod";
import {
  actionOf,
  ALL_EVENT_TYPES,
  type EventPrefix,
  type EventType,
  prefixOf,
  resourceTypeOf,
} from "../../events/event-types.ts";
import { describeFlags, flagDescriptions } from "../../events/event-descriptions.ts";
import { booking, reservation, ticket, ticketOrder } from "./bookings.ts";
import { menuCategory, menuItem } from "./menu.ts";
import { promotion } from "./promotion.ts";
import { publicEvent } from "./public-event.ts";
import { addon, service, serviceCategory, staff } from "./service.ts";
import { count, flag, id, instant } from "./values.ts";

export const business = z.strictObject({
  id,
  slug: z.string().describe("The business's name in URLs"),
  name: z.string(),
  timezone: z.string().describe("IANA time zone"),
});

const catalogRoute = z.enum([
  "menu",
  "services",
  "service-categories",
  "staff",
  "promotions",
  "events/catalog",
  "profile",
  "availability",
]);

export const catalogChange = z.strictObject({
  catalogVersion: z.int().describe("Version of the catalog after the change"),
  previousVersion: z.int().describe("Version of the catalog before the change"),
  routes: z
    .array(catalogRoute)
    .describe("Routes whose response changed; `profile` is the route of the business itself"),
  refetch: z
    .array(
      z.strictObject({
        route: catalogRoute,
        ids: z.array(id).describe("IDs of the objects to read again, at most 500"),
        idsComplete: flag("true: `ids` lists every such object; false: read the whole list again"),
      }),
    )
    .describe("Lists that changed without a more specific event; fetch them again"),
});

/** The schema of `data.object` for each prefix. */
const OBJECTS: Record<EventPrefix, z.ZodObject> = {
  catalog: catalogChange,
  service,
  service_price: service,
  service_variant: service,
  service_category: serviceCategory,
  menu_item: menuItem,
  menu_category: menuCategory,
  promotion,
  staff,
  addon,
  event: publicEvent,
  event_availability: publicEvent,
  ticket_order: ticketOrder,
  ticket,
  booking,
  reservation,
  business,
};

const resource = <T extends z.ZodType>(type: T) =>
  z.strictObject({
    type,
    id,
    ids: z.array(id).describe("IDs of all affected objects, including `id`"),
  });

function objectOf(type: EventType): z.ZodType {
  const prefix = prefixOf(type);
  const object = OBJECTS[prefix];
  switch (actionOf(type)) {
    case "deleted":
      return object.extend({ deletedAt: instant }).describe("The last state of the deleted object");
    case "reordered":
      return z.strictObject({
        scope: z.literal(prefix),
        order: z
          .array(z.strictObject({ id, sortOrder: count }))
          .describe("Every object of the list in its new order"),
      });
    default:
      return object;
  }
}

const common = {
  id: id.describe("ID of the event; the same in every delivery, so use it to discard duplicates"),
  createdAt: instant.describe("UTC, with milliseconds and `Z`"),
  business,
};

/**
 * Returns the schema of the "Webhook event envelope" for one event type, as the specification that
 * deskbell implements has it.
 */
export function envelopeSchema(type: EventType) {
  const flags = flagDescriptions(type).map(
    ([name, description]) => [name, flag(description)] as const,
  );
  const { id, ...others } = common;
  return z.strictObject({
    id,
    type: z.literal(type),
    ...others,
    data: z.strictObject({
      resource: resource(z.literal(resourceTypeOf(prefixOf(type)))),
      action: z.literal(actionOf(type)),
      changed: z
        .strictObject(Object.fromEntries(flags))
        .describe(`Flags of the parts that changed. ${describeFlags(type)}`),
      object: objectOf(type),
    }),
  });
}

/** The envelope of an event type that this version does not have. */
export const otherEnvelope = z
  .strictObject({
    ...common,
    type: z.string().meta({ not: { enum: ALL_EVENT_TYPES } }),
    data: z.strictObject({
      resource: resource(z.string()),
      action: z.string(),
      changed: z.record(z.string(), z.boolean()),
      object: z.looseObject({}),
    }),
  })
  .describe("An event of a type that was added after this document");
