import { z } from "zod";
import { business } from "../../domain/public/schemas/envelope.ts";
import { delivery, endpoint } from "../../domain/public/schemas/webhook.ts";
import type { OpenApiPart } from "../../http/openapi/openapi-part.ts";
import { event, lastSequence, pageOf } from "../../http/openapi/schemas.ts";

/** A business in the list of the businesses that a partner reaches. */
const reachedBusiness = business.extend({
  catalogVersion: z
    .int()
    .describe("Version of the catalog: read its lists again if it is higher than the one you have"),
  lastSequence,
});

const partnerMeta = z.strictObject({
  partner: z
    .strictObject({ id: z.string(), name: z.string() })
    .describe("The partner of the API key"),
});

const businessesMeta = partnerMeta.extend({
  count: z.int().describe("How many businesses the partner reaches"),
  cursor: z
    .string()
    .describe(
      "Pass it as `changedSince` to learn later what has changed, or as `after` to `/v1/changes`",
    ),
});

const changesMeta = partnerMeta.extend({
  sequences: z
    .array(z.int())
    .describe(
      "Sequence number of each event in `data` among those of its business, in the same order; webhooks have it in X-Service-Sequence",
    ),
});

const schemas = {
  ReachedBusiness: reachedBusiness,
  ReachedBusinessList: pageOf(reachedBusiness, businessesMeta),
  PartnerEventList: pageOf(event, changesMeta),
  PartnerEndpointList: pageOf(endpoint, partnerMeta),
  PartnerDeliveryList: pageOf(delivery, partnerMeta),
};

const CURSOR = "r5.4a1f09c2.Zm9vYmFyYm";
const partner = { id: "ptn_06gzfjm44t8c9kf1ccbxp7rfp", name: "aggregator" };
const page = { hasMore: false, nextCursor: null };
const harbour = {
  id: "biz_6a3c1f0e2b7d4a5c",
  slug: "harbour-yard",
  name: "Harbour Yard",
  timezone: "Europe/Berlin",
  catalogVersion: 1842,
  lastSequence: 977,
};

const examples: OpenApiPart["examples"] = ({ eventOf, endpoint, delivery }) => ({
  ReachedBusinessList: {
    data: [harbour],
    page,
    meta: { partner, count: 2, cursor: CURSOR },
  },
  PartnerEventList: {
    data: [eventOf("service_category.updated")],
    page: { hasMore: false, nextCursor: CURSOR },
    meta: { partner, sequences: [977] },
  },
  PartnerEndpointList: { data: [endpoint], page, meta: { partner } },
  PartnerDeliveryList: { data: [delivery], page, meta: { partner } },
  createPartnerEndpoint: {
    name: "mirror",
    url: "https://example.com/hook",
    events: ["catalog.changed"],
  },
  updatePartnerEndpoint: { events: ["catalog.changed", "business.added", "business.removed"] },
  testPartnerEndpoint: { eventType: "catalog.changed" },
  enablePartnerEndpoint: { recover: "all" },
  rotatePartnerEndpointSecret: { overlapSeconds: 3600 },
  finishPartnerSecretRotation: {},
  redeliverPartnerDelivery: {},
});

export const openapi: readonly OpenApiPart[] = [{ schemas, examples }];
