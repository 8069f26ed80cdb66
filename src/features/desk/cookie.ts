import type { PageRequest } from "../../http/pages/page-request.ts";
import { getHeader, type RawHeaders } from "../../http/pipeline/request-context.ts";
import { isLoopbackHost } from "../../domain/addresses.ts";
import { type DeskSession, findSession } from "./desks.ts";
import { DEVICE_MS } from "./rules.ts";

// A browser sends the cookie of a paired device only to the desk of its business, and never with a
// request that another website causes.

const COOKIE_NAME = "deskbell_desk";

/** @param token empty to delete the cookie */
export function cookieHeaders(request: PageRequest, token: string): RawHeaders {
  const { slug, base } = request;
  const attributes = [
    `${COOKIE_NAME}=${token}`,
    `Path=${base}/b/${slug}/desk`,
    `Max-Age=${token === "" ? 0 : DEVICE_MS / 1000}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isHttpOnLoopback(request) ? [] : ["Secure"]),
  ];
  return ["set-cookie", attributes.join("; ")];
}

/**
 * Returns the session of the device that sent a request; undefined if it is not paired. A browser
 * may send several cookies of this name, for example one with an earlier path.
 */
export function sessionOf({ rt, slug, context }: PageRequest): DeskSession | undefined {
  const cookies = getHeader(context.request, "cookie") ?? "";
  const tokens = cookies.split(";").flatMap((part) => {
    const [name, value = ""] = part.trim().split("=");
    return name === COOKIE_NAME ? [value] : [];
  });
  return tokens.map((token) => findSession(rt, slug, token)).find((one) => one !== undefined);
}

/** Returns whether the browser reaches the server by https, or on the same machine. */
export function hasHttpsOrLoopback(request: PageRequest): boolean {
  const { config, store } = request.rt;
  const urls = [config.http.publicUrl, store.daemon.find()?.url];
  return isHttpOnLoopback(request) || urls.some((url) => url?.startsWith("https:"));
}

/**
 * Returns whether the browser reaches the server by plain http on the same machine. If no public
 * URL is set, the Host header decides.
 */
function isHttpOnLoopback({ rt, context: { request } }: PageRequest): boolean {
  const url = URL.parse(rt.config.http.publicUrl || `http://${getHeader(request, "host") ?? ""}`);
  return url !== null && url.protocol === "http:" && isLoopbackHost(url.host);
}
