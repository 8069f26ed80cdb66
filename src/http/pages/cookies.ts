import { isLoopbackHost } from "../../domain/addresses.ts";
import { getHeader, type RawHeaders } from "../pipeline/request-context.ts";
import type { PageRequest } from "./page-request.ts";

/**
 * Returns the values of all cookies of a name. A browser may send several, for example one with an
 * earlier path.
 */
export const readCookies = ({ context }: PageRequest, name: string): string[] =>
  (getHeader(context.request, "cookie") ?? "").split(";").flatMap((part) => {
    const [partName, value = ""] = part.trim().split("=");
    return partName === name ? [value] : [];
  });

type Cookie = { name: string; value: string; maxAgeMs: number; sameSite: "Lax" | "Strict" };

/** Returns the header that sets a cookie for the pages of a business below a path. */
export function setCookie(
  request: PageRequest,
  path: string,
  { name, value, maxAgeMs, sameSite }: Cookie,
): RawHeaders {
  const attributes = [
    `${name}=${value}`,
    `Path=${request.base}/b/${encodeURIComponent(request.slug)}/${path}`,
    `Max-Age=${maxAgeMs / 1000}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    // A browser may drop a cookie with `Secure` that arrives over plain HTTP.
    ...(isHttpOnLoopback(request) ? [] : ["Secure"]),
  ];
  return ["set-cookie", attributes.join("; ")];
}

/**
 * Returns whether the browser reaches the server by plain http on the same machine. If no public
 * URL is set, the Host header decides.
 */
export function isHttpOnLoopback({ rt, context: { request } }: PageRequest): boolean {
  const url = URL.parse(rt.config.http.publicUrl || `http://${getHeader(request, "host") ?? ""}`);
  return url !== null && url.protocol === "http:" && isLoopbackHost(url.host);
}
