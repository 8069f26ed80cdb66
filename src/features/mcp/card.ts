import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { readVersion } from "../../platform/assets.ts";
import {
  type HttpResponse,
  type RequestContext,
  respondBytes,
} from "../../http/pipeline/request-context.ts";
import { VERSIONS } from "./protocol.ts";
import { createPublishedStore } from "./store.ts";

/** Responds with the card that tells clients at which URL the server of tools is (SEP-2127). */
export function sendCard(rt: Runtime, context: RequestContext): HttpResponse {
  const base = rt.config.http.publicUrl || rt.store.daemon.find()?.url || "";
  if (!rt.openStore(createPublishedStore).hasAny())
    throw new AppError("route_not_found", "No business of this server has a public page.");
  const host = URL.parse(base)?.hostname ?? "localhost";
  const card = {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    // Names of MCP servers have the reverse-DNS form, such as com.example/deskbell.
    name: `${host.split(".").reverse().join(".")}/deskbell`,
    title: "deskbell",
    description: "Ask about the businesses of this server, find a free time and book it.",
    version: readVersion(),
    remotes: [
      {
        type: "streamable-http",
        url: `${base.replace(/\/+$/, "")}/mcp`,
        supportedProtocolVersions: VERSIONS,
      },
    ],
  };
  const body = Buffer.from(JSON.stringify(card));
  return respondBytes(context, 200, "application/mcp-server-card+json", body, [
    "cache-control",
    "public, max-age=3600",
  ]);
}
