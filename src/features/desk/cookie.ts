import { isHttpOnLoopback, readCookies, setCookie } from "../../http/pages/cookies.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import type { RawHeaders } from "../../http/pipeline/request-context.ts";
import { type DeskSession, findSession } from "./desks.ts";
import { DEVICE_MS } from "./rules.ts";

// A browser sends the cookie of a paired device only to the desk of its business, and never with a
// request that another website causes.

const COOKIE_NAME = "deskbell_desk";

/** @param token empty to delete the cookie */
export const cookieHeaders = (request: PageRequest, token: string): RawHeaders =>
  setCookie(request, "desk", {
    name: COOKIE_NAME,
    value: token,
    maxAgeMs: token === "" ? 0 : DEVICE_MS,
    sameSite: "Strict",
  });

/** Returns the session of the device that sent a request; undefined if it is not paired. */
export const sessionOf = (request: PageRequest): DeskSession | undefined =>
  readCookies(request, COOKIE_NAME)
    .map((token) => findSession(request.rt, request.slug, token))
    .find((session) => session !== undefined);

/** Returns whether the browser reaches the server by https, or on the same machine. */
export function hasHttpsOrLoopback(request: PageRequest): boolean {
  const { config, store } = request.rt;
  const urls = [config.http.publicUrl, store.daemon.find()?.url];
  return isHttpOnLoopback(request) || urls.some((url) => url?.startsWith("https:"));
}
