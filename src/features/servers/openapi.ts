import type { OpenApiPart } from "../../http/openapi/openapi-part.ts";
import { response } from "../../http/openapi/schemas.ts";
import { type ServerStatus, serverStatus } from "./status-schema.ts";

const example: ServerStatus = {
  version: "0.2.0",
  businesses: ["harbour-yard"],
  deliveries: { DELIVERED: 977, PENDING: 2 },
  lastBackupAt: "2026-11-20T12:00:00.000Z",
  lastCopyAt: null,
  problems: [],
};

export const openapi: readonly OpenApiPart[] = [
  {
    schemas: { ServerStatusResponse: response(serverStatus) },
    examples: () => ({ ServerStatusResponse: { data: example } }),
  },
];
