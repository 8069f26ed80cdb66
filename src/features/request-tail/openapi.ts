import type { OpenApiPart } from "../../http/openapi/openapi-part.ts";
import { response } from "../../http/openapi/schemas.ts";
import { seenRequests, type SeenRequests } from "./request-schema.ts";

const example: SeenRequests = {
  requests: [
    {
      at: "2026-11-20T12:00:00.000Z",
      method: "GET",
      route: "/v1/businesses/:slug/services",
      business: "harbour-yard",
      key: { id: "key_06gzfjm44t8c9kf1ccbxp7rfb", name: "website" },
      status: 429,
      code: "rate_limited",
      durationMs: 0.4,
    },
  ],
  cursor: "1795176000000.1",
  missed: 0,
};

export const openapi: readonly OpenApiPart[] = [
  {
    schemas: { SeenRequestsResponse: response(seenRequests) },
    examples: () => ({ SeenRequestsResponse: { data: example } }),
  },
];
