import { z } from "zod";
import {
  actionOf,
  CHANGED_FLAGS,
  type EventPrefix,
  type EventType,
  prefixOf,
  resourceTypeOf,
} from "../../event-types.ts";
import { booking, reservation, ticket, ticketOrder } from "./bookings.ts";
import { menuCategory, menuItem } from "./menu.ts";
import { promotion } from "./promotion.ts";
import { publicEvent } from "./public-event.ts";
import { addon, service, serviceCategory } from "./service.ts";
import { staff } from "./staff.ts";
import { count, id, instant } from "./values.ts";

export const business = z.strictObject({
  id,
  slug: z.string(),
  name: z.string(),
  timezone: z.string().describe("IANA"),
});

const catalogRoute = z.enum([
  "menu",
  "services",
  "service-categories",
  "staff",
  "promotions",
  "events/catalog",
  "availability",
]);

export const catalogChange = z.strictObject({
  catalogVersion: z.int(),
  previousVersion: z.int(),
  endpoints: z.array(catalogRoute).describe("The routes that answer otherwise now"),
  untold: z
    .array(catalogRoute)
    .describe("Those among them that whoever follows the other events has to read again"),
});

/** What events tell of, by the part of their names before the dot. */
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
  ticket_order: ticketOrder,
  ticket,
  booking,
  reservation,
};

const resource = (prefix: EventPrefix) =>
  z.strictObject({
    type: z.literal(resourceTypeOf(prefix)),
    id,
    ids: z.array(id).describe("Whatever is affected, `id` among it"),
  });

function objectOf(type: EventType): z.ZodType {
  const prefix = prefixOf(type);
  const object = OBJECTS[prefix];
  switch (actionOf(type)) {
    case "deleted":
      return object.extend({ deletedAt: instant }).describe("As it was last");
    case "reordered":
      return z.strictObject({
        scope: z.literal(prefix),
        order: z.array(z.strictObject({ id, sortOrder: count })),
      });
    default:
      return object;
  }
}

/** The spec's "Webhook event envelope", as it is for one of its names. */
export function envelopeSchema(type: EventType) {
  const flags: readonly string[] = CHANGED_FLAGS[prefixOf(type)];
  return z.strictObject({
    id: id.describe("The same at every delivery: drop what you have seen"),
    type: z.literal(type),
    createdAt: instant.describe("UTC, with milliseconds and `Z`"),
    business,
    data: z.strictObject({
      resource: resource(prefixOf(type)),
      action: z.literal(actionOf(type)),
      changed: z
        .strictObject(Object.fromEntries(flags.map((flag) => [flag, z.boolean()])))
        .describe(
          "What differs now: all of it where something is new, none where it is gone or has only moved",
        ),
      object: objectOf(type),
    }),
  });
}
