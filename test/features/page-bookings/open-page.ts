import { objectId } from "../../../src/domain/catalog/object-id.ts";
import type { BusinessDoc } from "../../../src/domain/catalog/catalog.ts";
import { findPageKey } from "../../../src/features/page-bookings/access.ts";
import { publishPage } from "../../../src/features/public-pages/publish.ts";
import type { Preset } from "../../../src/platform/assets.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { createTestApi, type TestApi } from "../../http/support/api.ts";

const ORIGIN = "http://localhost";

export const businessOf = (rt: Runtime) => rt.store.businesses.list()[0]!;

export function publish(rt: Runtime, booking: BusinessDoc["publicPage"]["booking"] = "CONFIRM") {
  publishPage(rt, businessOf(rt).slug, {
    booking,
    privacyUrl: "https://shop.example/privacy",
    imprintUrl: "https://shop.example/imprint",
  });
}

/** Returns the texts that a pattern finds in a page, with its entities decoded. */
export const findAll = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, text = ""]) => text.replaceAll("&amp;", "&"));

/** Sends what a browser without scripts sends, and follows redirects. */
export function createVisitor(api: Pick<TestApi, "request">, address?: string) {
  let cookie = "";
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers({ host: "localhost", ...(cookie && { cookie }) });
    if (address !== undefined) headers.set("x-forwarded-for", address);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await api.request(url, { key: null, ...init, headers });
    const set = response.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0] ?? "";
    return response;
  };
  const post = (url: string, form: Record<string, string> = {}): Promise<Response> =>
    send(url, {
      method: "POST",
      headers: { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
  const get = async (url: string): Promise<string> => (await send(url)).text();
  /** Opens the times of a choice, and returns them with the URL of their form. */
  const openTimes = async (url: string) => {
    const html = await get(url);
    const [action = ""] = findAll(html, /action="([^"]*\/(?:hold|move)[^"]*)"/g);
    return { html, action, times: findAll(html, /name="at" value="([^"]+)"/g) };
  };
  /** Chooses a time, and returns the URL of the details. */
  const hold = async (action: string, at: string): Promise<string> =>
    (await post(action, { at })).headers.get("location") ?? "";
  /** Sends the details, and returns the response. */
  const book = async (url: string, form: Record<string, string> = {}): Promise<Response> => {
    const at = new URLSearchParams(url.split("?")[1]).get("at") ?? "";
    return post(url, { at, ...GUEST, ...form });
  };
  return { send, get, post, openTimes, hold, book };
}

export const GUEST = { name: "Ana García", email: "ana@example.com", phone: "", notes: "" };

/** Opens the API of a business whose page takes bookings. */
export function openPage(
  preset: Preset = "salon",
  booking: BusinessDoc["publicPage"]["booking"] = "CONFIRM",
  flags: Parameters<typeof createTestApi>[2] = {},
) {
  const api = createTestApi(preset, undefined, flags);
  publish(api, booking);
  const base = `/b/${businessOf(api).slug}/book`;
  return { api, base, visitor: createVisitor(api) };
}

function idOf(api: TestApi, kind: "service" | "staff", key: string): string {
  const { id, slug } = businessOf(api);
  return objectId(
    kind,
    slug,
    api.store.catalog.listByKind(id, kind).find((one) => one.key === key)!,
  );
}

/** Returns the URL of the times of a service. */
export const timesOf = (api: TestApi, base: string, key: string, staff = "any"): string =>
  `${base}?service=${idOf(api, "service", key)}&staff=${staff === "any" ? "any" : idOf(api, "staff", staff)}`;

/** Returns a service without variants, and one staff member who performs it. */
export function firstService(api: TestApi): { key: string; staff: string } {
  const { id } = businessOf(api);
  const services = api.store.catalog.listByKind(id, "service");
  const one = services.find(
    ({ bookable, staff, variants }) => bookable && staff.length > 0 && variants.length === 0,
  )!;
  return { key: one.key, staff: one.staff[0]! };
}

/** Returns the visits that the page has made. */
export function listMade(rt: Runtime) {
  const business = businessOf(rt);
  const createdByKey = findPageKey(rt, business) ?? "none";
  const filter = { businessId: business.id, createdByKey };
  return [
    ...rt.store.bookings.listPage(filter, 1000),
    ...rt.store.reservations.listPage(filter, 1000),
  ];
}
