import type { Feature } from "../feature.ts";

/** Gives a partner one key for several businesses of the server. */
export const partners = {
  name: "partners",
  commands: [
    {
      name: "partners",
      about: "Create, change and delete partners whose keys are valid at several businesses.",
      heading: "Partners",
      after: "keys",
      load: () => import("./commands/partners.ts"),
    },
  ],
  partnerCommands: "partners",
  routes: () => import("./routes.ts"),
  schemas: [
    "ReachedBusiness",
    "ReachedBusinessList",
    "PartnerEventList",
    "PartnerEndpointList",
    "PartnerDeliveryList",
  ],
  openapi: () => import("./openapi.ts"),
  completion: () => import("./commands/completion.ts"),
  status: () => import("./commands/status.ts"),
  idPrefixes: ["ptn"],
  // A partner with `covers_future` gets the other rights of its row at each new business.
  access: {
    partner: {
      table: "partner",
      rights: ["covers_future", "scopes", "event_groups", "cidrs"],
      isActive: ({ deleted_at }) => deleted_at === null,
      revokedAt: "deleted_at",
      revoked: "partner.deleted",
    },
  },
  auditActions: [
    "partner.created",
    "partner.updated",
    "partner.business_added",
    "partner.business_removed",
    "partner.excluded",
    "partner.deleted",
  ],
} as const satisfies Feature;
