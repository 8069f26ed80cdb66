import { z } from "zod";
import { SCOPES } from "../../api-key.ts";
import { EVENT_GROUPS } from "../../events/event-types.ts";
import { business } from "./envelope.ts";
import { count, flag, id, instant, orNull } from "./values.ts";

const limit = z.int().min(0).describe("The most that the key may have or do");
const useOf = (description: string) => z.strictObject({ limit, used: count }).describe(description);

const windowUse = z.strictObject({
  window: z
    .enum(["per-minute", "per-hour"])
    .describe("Name of the window, as in the header `RateLimit-Policy`"),
  seconds: z.int().describe("Length of the window, which slides"),
  limit: z.int().min(1).describe("The most requests in the window"),
  used: count.describe("Requests in the window, including this one"),
  resetSeconds: count.describe("Seconds until the window frees the next request; 0 if it is empty"),
});

const rotation = z.strictObject({
  at: instant.describe("When the newest secret was made"),
  by: z
    .enum(["KEY", "BUSINESS"])
    .describe(
      "KEY: the key rotated itself; if you did not do so, tell the business at once, because the key is stolen",
    ),
  oldSecretEndsAt: orNull(instant, "Until then, the old secret is valid too; null if it has ended"),
});

export const key = z.strictObject({
  id,
  kind: z
    .enum(["SECRET", "RESTRICTED"])
    .describe(
      "SECRET: sees all endpoints of its business whose events it may receive; RESTRICTED: sees its own endpoints",
    ),
  name: z.string().describe("What the key is for, as the business has named it"),
  prefix: z.string().describe("How its secrets begin"),
  last4: z.string().describe("The last four characters of the newest secret"),
  business,
  scopes: z.array(z.enum(SCOPES)),
  eventGroups: z.array(z.enum(EVENT_GROUPS)).describe("Groups of events that the key may receive"),
  ownVisitsOnly: flag(
    "Whether the key receives events of bookings and orders only if it has made them itself",
  ),
  customerReferences: flag(
    "Whether the events of the key have `customerRef` and `cancelReason`; otherwise both are null",
  ),
  cidrs: z.array(z.string()).describe("Address ranges that may use the key; empty if all may"),
  limits: z.strictObject({
    requests: z.array(windowUse).describe("Requests by window"),
    endpoints: useOf("Webhook endpoints that belong to the key"),
    holds: useOf(
      "Open holds and unpaid ticket orders. Holds for a visitor count only if the business has set this limit",
    ),
    bookingsDay: useOf("Bookings and reservations in 24 hours, without cancelled ones"),
    redeliveries: useOf(
      "Pending redeliveries, and pending deliveries of an endpoint that was enabled again. `used` is not counted beyond the limit",
    ),
  }),
  visitorLimits: z
    .strictObject({
      holds: z.int().describe("Open holds and new ticket orders at a time"),
      bookingsDay: z.int().describe("Bookings and reservations in 24 hours"),
      ordersDay: z.int().describe("Ticket orders in 24 hours"),
    })
    .describe("Limits of each visitor that a request names in `Visitor-Id`"),
  createdAt: instant,
  expiresAt: orNull(instant, "When the key ends; null if never"),
  selfRotation: flag("Whether the key may rotate itself with `POST …/key/rotate`"),
  guestMail: flag(
    "Whether guests get mails about visits that the key makes, while the server sends such mails",
  ),
  rotation: rotation.nullable().describe("The last rotation; null if the key was never rotated"),
  usesOldSecret: flag(
    "Whether this request was sent with the old secret of the last rotation; if so, switch to the new one",
  ),
  lastDeliveryAt: orNull(
    instant,
    "When a receiver of any business of this server last accepted a webhook: a recent time shows that the server sends webhooks. null if none of the last 1,000 attempts was accepted",
  ),
});

export const rotatedKey = key.extend({
  secret: z
    .string()
    .regex(/^deskbell_[sr]k_/)
    .describe("The new secret; store it, because only a repeated request returns it again"),
  oldSecretEndsAt: instant.describe("Until then, the old secret is valid too"),
});
