import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { openApiOf } from "../openapi/built-document.ts";
import { type CachedResponse, createHashedResponse } from "../pipeline/cached-response.ts";
import {
  type HttpResponse,
  NO_SNIFF,
  type RequestContext,
  respondBytes,
  toRawHeaders,
} from "../pipeline/request-context.ts";
import type { Route } from "../pipeline/route.ts";

const SHARED_HEADERS = ["cache-control", "public, max-age=0, must-revalidate", ...NO_SNIFF];

/** Returns the response with a file that clients keep, and revalidate by its ETag. */
export const createDocument = (
  type: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
): CachedResponse =>
  createHashedResponse(
    Buffer.from(content),
    [...SHARED_HEADERS, ...toRawHeaders(headers)],
    ["content-type", type],
  );

/** Returns a handler that reads the document at the first request: few servers are asked for it. */
export function getOpenApi({ config }: Runtime) {
  let response: CachedResponse | undefined;
  return (context: RequestContext) => {
    response ??= createDocument("application/json", JSON.stringify(openApiOf(config.http)));
    return response.respond(context);
  };
}

/** RFC 9116 recommends that the file expires within a year. */
const SECURITY_TXT_DAYS = 180;

/** Responds with the contact to which finders of vulnerabilities write (RFC 9116). */
function getSecurityTxt({ config, now }: Runtime, context: RequestContext): HttpResponse {
  const { contact, publicUrl } = config.http;
  if (contact === null)
    throw new AppError("route_not_found", "The operator has configured no contact.");
  const expires = new Date(now() + SECURITY_TXT_DAYS * 86_400_000).toISOString();
  const lines = [`Contact: ${contact}`, `Expires: ${expires}`, "Preferred-Languages: en"];
  if (publicUrl !== "") lines.push(`Canonical: ${publicUrl}/.well-known/security.txt`);
  const text = Buffer.from(`${lines.join("\n")}\n`);
  return respondBytes(context, 200, "text/plain; charset=utf-8", text);
}

export const securityTxtRoute = (rt: Runtime): Route => ({
  method: "GET",
  path: "/.well-known/security.txt",
  scope: "open",
  handle: (context) => getSecurityTxt(rt, context),
});
